import type { ServerObserver } from 'millrace/server'

const shown = 5

/** Describes the runs that a server has recovered; undefined if there are none. */
export function describeRecovered(sessions: readonly string[]): string | undefined {
  if (sessions.length === 0) return undefined
  const runs = sessions.length === 1 ? 'a run that was' : `${sessions.length} runs that were`
  const names = sessions.slice(0, shown).map((session) => `    ${session}`)
  const more = sessions.length > shown ? [`    and ${sessions.length - shown} more`] : []
  return [`  Resumed ${runs} interrupted when the server stopped:`, ...names, ...more].join('\n')
}

/** Describes the fate of active runs when a server stops. */
export function describeStopping(runs: number, isDurable: boolean): string {
  const again = 'Press Ctrl-C again to stop at once.'
  if (runs === 0) return `Stopping. ${again}`
  const subject = runs === 1 ? 'an active run is' : `${runs} active runs are`
  return `Stopping: ${subject} ${isDurable ? 'handed off' : 'ended'} first. ${again}`
}

/** Describes the runs that were handed off; undefined if there are none. */
export function describeHandedOff(runs: number): string | undefined {
  if (runs === 0) return undefined
  const subject = runs === 1 ? 'A run was' : `${runs} runs were`
  const verb = runs === 1 ? 'it resumes' : 'they resume'
  return `${subject} handed off: ${verb} when a server starts with the same store.`
}

/** Creates an observer that counts runs handed to other servers. */
export function createHandOffCount(): { readonly observer: ServerObserver; count(): number } {
  let count = 0
  return {
    observer: {
      runEnded: ({ stopReason }) => {
        if (stopReason === 'handed_over') count++
      },
    },
    count: () => count,
  }
}
