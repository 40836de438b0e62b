package argocd

// ImpersonationKey is the argocd-cm key by which Argo CD syncs in the name of the ServiceAccounts that AppProjects state (2.13 and later).
const ImpersonationKey = "application.sync.impersonation.enabled"
