/** `own`: with the times of the recording. `instant`: at once. A number: so many times as fast. */
export type ReplayPace = 'own' | 'instant' | number

/** When something is due that the recording has at `ms`. */
export function toDueMs(ms: number, pace: ReplayPace): number {
  if (pace === 'instant') return 0
  return pace === 'own' ? ms : ms / pace
}
