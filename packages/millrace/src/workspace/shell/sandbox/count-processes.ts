import { readdir } from 'node:fs/promises'

/** Counts the processes in the namespace of a sandbox; 0 after its end. */
export async function countProcesses(leader: number): Promise<number> {
  try {
    // The sandbox has its own `/proc`, which lists only its processes.
    const names = await readdir(`/proc/${leader}/root/proc`)
    return names.filter((name) => /^\d+$/.test(name)).length
  } catch {
    return 0
  }
}
