import type { SessionRow } from './session-row.ts'

/** Label and color of a session's status. */
export interface StatusLabel {
  readonly label: string
  readonly tone: 'live' | 'warn' | 'bad' | 'calm'
}

const known: ReadonlyMap<string, StatusLabel> = new Map([
  ['running', { label: 'Running', tone: 'live' }],
  ['paused', { label: 'Waiting for you', tone: 'warn' }],
  ['ended', { label: 'Ended', tone: 'calm' }],
  ['interrupted', { label: 'Interrupted', tone: 'bad' }],
])

/** Labels of unsuccessful ends. */
const ends: ReadonlyMap<string | undefined, StatusLabel> = new Map([
  ['error', { label: 'Failed', tone: 'bad' }],
  ['aborted', { label: 'Stopped', tone: 'calm' }],
  ['refusal', { label: 'Refused', tone: 'warn' }],
])

/** Returns the label of a session's status; unknown statuses are shown as they are. */
export function toStatusLabel({
  status,
  stopReason,
}: Partial<Pick<SessionRow, 'status' | 'stopReason'>>): StatusLabel {
  if (status === undefined) return { label: 'Only files', tone: 'calm' }
  const end = status === 'ended' ? ends.get(stopReason) : undefined
  return end ?? known.get(status) ?? { label: status, tone: 'calm' }
}
