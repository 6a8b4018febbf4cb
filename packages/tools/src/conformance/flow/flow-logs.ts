/** The logs that the session of a case has had, in the order in which answers named them, and how far each was read. */
export interface FlowLogs {
  /** Takes the log that an answer names. */
  name(log: string): void
  /** Takes the id of a message that was read of a log. */
  read(log: string, id: number): void
  /** The id of a log by its number, from 1. */
  id(number: number): string | undefined
  /** The last message that was read of it; 0 if none was. */
  lastId(number: number): number
}

/** Creates a list without logs. */
export function createFlowLogs(): FlowLogs {
  const lastIds = new Map<string, number>()
  const id = (number: number): string | undefined => [...lastIds.keys()][number - 1]
  return {
    name: (log) => void lastIds.set(log, lastIds.get(log) ?? 0),
    read: (log, last) => void lastIds.set(log, Math.max(last, lastIds.get(log) ?? 0)),
    id,
    lastId: (number) => lastIds.get(id(number) ?? '') ?? 0,
  }
}
