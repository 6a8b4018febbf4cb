/** The logs of the session of a case, in the order in which responses name them, with their last ids. */
export interface FlowLogs {
  /** Adds the log that a response names. */
  name(log: string): void
  /** Adds the id of a frame that was read from a log. */
  read(log: string, id: number): void
  /** Returns the id of a log by its number, from 1. */
  id(number: number): string | undefined
  /** Returns the id of the last frame that was read from it; 0 if none was. */
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
