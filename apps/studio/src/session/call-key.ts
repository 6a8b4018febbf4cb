/** The key of a call: agents may give the same id to calls of theirs. */
export function toCallKey(agent: string, toolUseId: string): string {
  return JSON.stringify([agent, toolUseId])
}
