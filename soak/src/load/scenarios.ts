import type { Fault, Scenario, ScriptedBlock, ScriptedReply, Turn } from 'millrace-tools/emulator'

/** Slow enough for actions in the middle of an answer. */
const slowPace = { tokensPerSecond: 50, firstTokenMs: 1, jitter: 0 }

const words = (count: number): string[] => Array.from({ length: count }, (_, at) => `word ${at} `)
const text = (count: number): ScriptedReply => ({ blocks: [{ type: 'text', text: words(count) }] })
const call = (name: string, input = {}): ScriptedBlock => ({ type: 'tool_use', name, input })

/** Calls tools in its first step and answers in its second. */
const callFirst =
  (...calls: readonly ScriptedBlock[]) =>
  ({ step }: Turn): ScriptedReply =>
    step === 0 ? { blocks: [...text(5).blocks, ...calls] } : text(10)

const spawn = call('spawn_subagent', { agent_name: 'hand', task: 'tools for a hand' })

/** Failures from which the agent recovers by a second attempt. */
const passingFaults: readonly Fault[] = [
  { kind: 'status', status: 529, times: 1 },
  { kind: 'status', status: 500, times: 1 },
  { kind: 'error', at: { event: 4 }, times: 1 },
]
const cuts: readonly Fault[] = [
  { kind: 'cut', at: { event: 0 }, times: 1 },
  { kind: 'cut', at: { event: 5 }, times: 1 },
  { kind: 'end', at: { event: 5 }, times: 1 },
]

const chooseFault = (faults: readonly Fault[], { args }: Turn): Fault[] =>
  faults.slice(Number(args['number']) % faults.length).slice(0, 1)

/** Replies by the first word of a prompt. */
const replies: Readonly<Record<string, (turn: Turn) => ScriptedReply>> = {
  text: () => text(20),
  tools: callFirst(call('grind'), call('grind')),
  question: callFirst(call('ask')),
  approval: callFirst(call('burn')),
  family: callFirst(spawn, spawn),
  slow: () => ({ ...text(20), pace: slowPace }),
  // Silent before its end, so that a stop always finds it active.
  endless: () => ({ ...text(60), pace: slowPace, faults: [{ kind: 'stall', at: { event: 50 } }] }),
  failing: (turn) => ({ ...text(10), faults: chooseFault(passingFaults, turn) }),
  refused: () => ({ ...text(10), faults: [{ kind: 'status', status: 400 }] }),
  cut: (turn) => ({ ...text(10), faults: chooseFault(cuts, turn) }),
  silent: () => ({ ...text(10), faults: [{ kind: 'stall', at: { event: 4 }, times: 1 }] }),
}

/** The scripts of the emulated model: a prompt has a kind of reply, a number, and padding. */
export const scenarios: readonly Scenario[] = Object.entries(replies).map(([name, reply]) => ({
  name,
  summary: `Replies to prompts that begin with "${name}"`,
  matches: (prompt) => {
    const [kind, number = '0'] = prompt.split(' ', 2)
    return kind === name && { number: Number(number) || 0 }
  },
  reply,
}))
