import { runCommands } from '../commands/run-commands.ts'
import { chooseSeed } from '../seeded.ts'
import { storePlaces } from '../stores.ts'
import type { Finding, Trial } from '../trial.ts'

const ROUNDS = 500
const SHORT_ROUNDS = 10

/** Commands to runs of several servers that lose wake-ups and die. */
export const commands: Trial = {
  name: 'commands',
  summary:
    'conflicting answers, approvals, messages and stops while wake-ups are lost and servers die',
  run: async (trial) => {
    const rounds = trial.isShort ? SHORT_ROUNDS : ROUNDS
    const places = storePlaces(trial).flatMap(({ store, title }) => {
      const two = { store, where: `${title}, two servers`, servers: 2 }
      const three = { store, where: `${title}, three servers`, servers: 3 }
      return trial.isShort ? [two] : [two, three]
    })
    const findings: Finding[] = []
    for (const place of places)
      findings.push(await runCommands({ ...place, rounds, seed: chooseSeed() }, trial))
    return findings
  },
}
