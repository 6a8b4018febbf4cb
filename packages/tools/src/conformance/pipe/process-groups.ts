/** Process groups that must not outlive this process. */
const trackedGroups = new Set<number>()

/**
 * Tracks a process group by its leader until it is killed, so that it is killed at the latest when this process
 * exits.
 */
export function watchGroup(leader: number): void {
  if (trackedGroups.size === 0) process.on('exit', killAll)
  trackedGroups.add(leader)
}

/** Kills all processes of a group and stops tracking it. */
export function killGroup(leader: number): void {
  signalGroup(leader, 'SIGKILL')
  trackedGroups.delete(leader)
  if (trackedGroups.size === 0) process.off('exit', killAll)
}

/** Windows has no process groups; only the leader receives the signal. */
const sign = process.platform === 'win32' ? 1 : -1

/** Sends a signal to a process group; 0 only checks that it exists. Returns whether a process was found. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(sign * leader, signal)
  } catch (error) {
    // EPERM: the process exists but runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function killAll(): void {
  for (const leader of trackedGroups) signalGroup(leader, 'SIGKILL')
}
