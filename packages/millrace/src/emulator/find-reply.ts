import type { Pace } from './pace.ts'
import type { Scenario, Turn } from './scenario.ts'
import type { ScriptedReply } from './scripted-reply.ts'

/** What a script answers, and which one it was. */
export interface FoundReply {
  readonly reply: ScriptedReply
  readonly scenario: string
  /** The usual speed of that script. */
  readonly usualPace?: Pace
}

/** Asks scenarios in order; where none answers, the reply says so. */
export function findReply(scenarios: readonly Scenario[], turn: Omit<Turn, 'args'>): FoundReply {
  for (const scenario of scenarios) {
    const match = scenario.matches(turn.prompt)
    if (match === false) continue
    const reply = scenario.reply({ ...turn, args: match === true ? {} : match })
    const { name, pace: usualPace } = scenario
    return { reply, scenario: name, ...(usualPace && { usualPace }) }
  }
  const names = scenarios.map(({ name }) => name).join(', ')
  const text = `No scenario answers this prompt; there are ${names}.`
  return { reply: { blocks: [{ type: 'text', text }] }, scenario: 'none' }
}
