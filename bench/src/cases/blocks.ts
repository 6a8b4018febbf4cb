import { type Envelope, rootAgent } from 'millrace'
import type { BenchCase } from '../bench-case.ts'
import { AGENT, demand, initEnvelope, parseLines, reduceLines, toLines } from '../deltas.ts'

const ROUNDS = 4_000

/** One round: a call and its result, a result without a call, and a text delta of one of many sub-agents. */
function roundMessages(round: number, agents: number): Envelope[] {
  const call = { agent: AGENT, final: true, id: `toolu_${round}`, name: 'grind' }
  const child = `child-${round % agents}`
  return [
    { ...call, type: 'tool_call', delta: '{"kilograms":1}' },
    { ...call, type: 'tool_result', delta: '0.8 kg of flour' },
    { ...call, type: 'server_tool_result', delta: '{}', id: `block_${round}` },
    { type: 'text', agent: child, final: false, delta: 'turning ' },
    { type: 'text', agent: AGENT, final: false, delta: 'and ' },
    { type: 'text', agent: AGENT, final: true, delta: '' },
  ]
}

function messagesAt(scale: number): Envelope[] {
  const rounds = Array.from({ length: scale * ROUNDS }, (_, round) =>
    roundMessages(round, scale * 400),
  )
  return [initEnvelope, ...rounds.flat()]
}

/** Many blocks, calls and agents: the lookup of a frame's block must not depend on their number. */
export const blocksCase: BenchCase = {
  name: 'blocks',
  job: 'calls, results with and without a call, and 400 sub-agents at 1×, lines to state',
  unit: 'message',
  count: (scale) => scale * ROUNDS * 6,
  ours: {
    name: 'millrace decode and reduce',
    prepare: (scale) => {
      const lines = toLines(messagesAt(scale))
      return () => {
        const transcript = reduceLines(lines)
        demand(rootAgent(transcript)?.blocks.length === scale * ROUNDS * 3, 'millrace')
      }
    },
  },
  floor: {
    name: 'JSON.parse of the lines',
    prepare: (scale) => parseLines(toLines(messagesAt(scale))),
  },
  peers: [],
}
