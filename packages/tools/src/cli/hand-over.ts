import type { ServerObserver } from 'millrace/server'

const shown = 5

/** Says for people which runs a server carries on that another one has left behind; undefined if there are none. */
export function describeRecovered(sessions: readonly string[]): string | undefined {
  if (sessions.length === 0) return undefined
  const runs = sessions.length === 1 ? 'a run that was' : `${sessions.length} runs that were`
  const names = sessions.slice(0, shown).map((session) => `    ${session}`)
  const more = sessions.length > shown ? [`    and ${sessions.length - shown} more`] : []
  return [`  Carried on ${runs} cut off when the server stopped:`, ...names, ...more].join('\n')
}

/** Says for people what becomes of runs that are under way when a server is told to stop. */
export function describeStopping(runs: number, isDurable: boolean): string {
  const again = 'Once more to stop at once.'
  if (runs === 0) return `Stopping. ${again}`
  const subject = runs === 1 ? 'a run under way is' : `${runs} runs under way are`
  return `Stopping: ${subject} ${isDurable ? 'handed over' : 'ended'} first. ${again}`
}

/** Says for people what was handed over; undefined if nothing was. */
export function describeHandedOver(runs: number): string | undefined {
  if (runs === 0) return undefined
  const subject = runs === 1 ? 'A run was' : `${runs} runs were`
  const verb = runs === 1 ? 'it goes' : 'they go'
  return `${subject} handed over: ${verb} on when a server starts with the same store.`
}

/** Counts the runs that a server leaves to others. */
export function createHandOverCount(): { readonly observer: ServerObserver; count(): number } {
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
