package played

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/coldstart-gitops/gen/test/e2e/kube"

	corev1 "k8s.io/api/core/v1"
)

// Exits on a pod's template is the exit code of its containers, for a scenario whose Job fails.
const Exits = "played.example.internal/exits"

// kubelet runs the pods that are bound to nodes. KWOK, which keeps the nodes, would run them whatever they mount; the real
// kubelet starts no container before everything that it mounts or reads exists (kubernetes v1.36 pkg/kubelet/kubelet_pods.go,
// makeEnvironmentVariables; pkg/kubelet/kuberuntime/kuberuntime_container.go, ErrCreateContainerConfig; pkg/volume/{secret,configmap},
// SetUpAt and MakePayload; pkg/volume/projected/projected.go, collectData).
type kubelet struct {
	w    *World
	next int // for addresses
}

// kubeletEvery is the pause between two rounds.
const kubeletEvery = 500 * time.Millisecond

// runKubelet plays until the context ends.
func (w *World) runKubelet(ctx context.Context) {
	k := &kubelet{w: w}
	_ = wait.PollUntilContextCancel(ctx, kubeletEvery, true, func(ctx context.Context) (bool, error) {
		if err := k.round(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) {
			w.once("played kubelet: %v", err)
		}
		return false, nil
	})
}

func (k *kubelet) round(ctx context.Context) error {
	pods, err := k.w.Client.List(ctx, "v1", "Pod", "")
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range pods {
		var pod corev1.Pod
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &pod); err != nil {
			return fmt.Errorf("reading %s: %w", kube.Name(&o), err)
		}
		if pod.Spec.NodeName != "" {
			errs = append(errs, k.sync(ctx, &o, &pod))
		}
	}
	return errors.Join(errs...)
}

// sync does the next thing for one pod.
func (k *kubelet) sync(ctx context.Context, o *kube.Object, pod *corev1.Pod) error {
	switch {
	case pod.DeletionTimestamp != nil:
		return k.w.Client.Delete(ctx, o)
	case pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
		return nil
	case pod.Status.Phase == corev1.PodRunning && (!ends(pod) || !k.w.done(ctx, pod)):
		return nil
	case pod.Status.Phase == corev1.PodRunning:
		if err := k.w.programs(ctx, pod); err != nil {
			return err
		}
		return k.write(ctx, o, ended(pod))
	}
	if reason, why := k.missing(ctx, pod); reason != "" {
		k.w.once("played: %s waits: %s", kube.Name(o), why)
		return k.write(ctx, o, waiting(pod, reason, why))
	}
	k.next++
	return k.write(ctx, o, k.started(pod))
}

// ends reports whether the pod's containers come to an end by themselves: those of Jobs, and those that a scenario lets fail.
func ends(pod *corev1.Pod) bool {
	return pod.Spec.RestartPolicy != corev1.RestartPolicyAlways || pod.Annotations[Exits] != ""
}

// write patches the status where it says something new.
func (k *kubelet) write(ctx context.Context, o *kube.Object, status corev1.PodStatus) error {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&status)
	if err != nil {
		return fmt.Errorf("writing the status of %s: %w", kube.Name(o), err)
	}
	before, _, _ := unstructured.NestedString(o.Object, "status", "message")
	if status.Phase == corev1.PodPending && before == status.Message {
		return nil
	}
	return k.w.Client.Merge(ctx, o, map[string]any{"status": fields}, "status")
}

func waiting(pod *corev1.Pod, reason, why string) corev1.PodStatus {
	s := corev1.PodStatus{Phase: corev1.PodPending, Message: why, Conditions: conditions(corev1.ConditionFalse)}
	for _, c := range pod.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: why}},
		})
	}
	return s
}

func (k *kubelet) started(pod *corev1.Pod) corev1.PodStatus {
	now := metav1.Now()
	ip := fmt.Sprintf("10.244.%d.%d", k.next/250, 1+k.next%250)
	s := corev1.PodStatus{
		Phase: corev1.PodRunning, Message: "", StartTime: &now, HostIP: "10.0.0.1", HostIPs: []corev1.HostIP{{IP: "10.0.0.1"}},
		PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}, Conditions: conditions(corev1.ConditionTrue),
	}
	started := true
	for _, c := range pod.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, Started: &started,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	for _, g := range pod.Spec.ReadinessGates {
		s.Conditions = append(s.Conditions, corev1.PodCondition{Type: g.ConditionType, Status: corev1.ConditionTrue})
	}
	return s
}

func conditions(ready corev1.ConditionStatus) []corev1.PodCondition {
	now := metav1.Now()
	return []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: corev1.ContainersReady, Status: ready, LastTransitionTime: now},
		{Type: corev1.PodReady, Status: ready, LastTransitionTime: now},
	}
}

// ended is the status of a pod whose containers came to an end; where they are always restarted, they crash in a loop.
func ended(pod *corev1.Pod) corev1.PodStatus {
	now, fails := metav1.Now(), pod.Annotations[Exits] != "" && pod.Annotations[Exits] != "0"
	s := corev1.PodStatus{Phase: corev1.PodSucceeded, Conditions: conditions(corev1.ConditionFalse), PodIP: pod.Status.PodIP, StartTime: pod.Status.StartTime}
	state := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 0, Reason: "Completed", StartedAt: now, FinishedAt: now}}
	switch {
	case fails && pod.Spec.RestartPolicy == corev1.RestartPolicyNever:
		s.Phase = corev1.PodFailed
		state.Terminated.ExitCode, state.Terminated.Reason = 1, "Error"
	case fails:
		s.Phase = corev1.PodRunning
		state = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	}
	for _, c := range pod.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, Image: c.Image, State: state})
	}
	return s
}
