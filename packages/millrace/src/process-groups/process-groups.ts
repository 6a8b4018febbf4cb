/** Groups that must not outlive this process. */
const live = new Set<number>()

/** Remembers a group of processes by its leader until it is killed, so that it ends with this process at the latest. */
export function watchGroup(leader: number): void {
  if (live.size === 0) process.on('exit', killAll)
  live.add(leader)
}

/** Kills all that is left of a group, and forgets it. */
export function killGroup(leader: number): void {
  signalGroup(leader, 'SIGKILL')
  live.delete(leader)
  if (live.size === 0) process.off('exit', killAll)
}

/** Windows has no groups; there the leader alone is reached. */
const sign = process.platform === 'win32' ? 1 : -1

/** Sends a signal to all of a group, or with 0 only looks; tells whether anyone was there. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(sign * leader, signal)
  } catch (error) {
    // A process that runs as another user cannot be reached, but is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function killAll(): void {
  for (const leader of live) signalGroup(leader, 'SIGKILL')
}
