/** `own`: the times of the recording. `instant`: without waiting. A number: a factor on the speed. */
export type ReplayPace = 'own' | 'instant' | number

/** Returns the time at which a chunk recorded at `ms` is due. */
export function toDueMs(ms: number, pace: ReplayPace): number {
  if (pace === 'instant') return 0
  return pace === 'own' ? ms : ms / pace
}
