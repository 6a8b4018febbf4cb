import { readdir } from 'node:fs/promises'

/** Counts the processes in the namespace of a sandbox; 0 once it is gone. */
export async function countProcesses(leader: number): Promise<number> {
  try {
    // The `/proc` that the sandbox itself has lists its own processes only.
    const names = await readdir(`/proc/${leader}/root/proc`)
    return names.filter((name) => /^\d+$/.test(name)).length
  } catch {
    return 0
  }
}
