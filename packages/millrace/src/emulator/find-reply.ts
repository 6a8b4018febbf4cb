import type { Pace } from './pace.ts'
import { readSteer, type Steer } from './read-steer.ts'
import { restOfReply } from './rest-of-reply.ts'
import type { RequestMessage } from './request-content.ts'
import type { Scenario, ScenarioArgs, Turn } from './scenario.ts'
import type { ScriptedReply } from './scripted-reply.ts'
import { toTurn } from './turn.ts'

/** What a script answers, and which one it was. */
export interface FoundReply {
  readonly reply: ScriptedReply
  readonly scenario: string
  /** The usual speed of that script. */
  readonly usualPace?: Pace
}

type OpenTurn = Omit<Turn, 'args'>

interface Chosen {
  readonly scenario: Scenario
  readonly args: ScenarioArgs
}

/** A reply, and the words that it has to acknowledge first. */
interface Draft {
  readonly scenario: Scenario
  readonly reply: ScriptedReply
  readonly words: readonly string[]
  readonly acknowledge?: Scenario['acknowledge']
}

/** How many messages to one script are told from prompts: more than people send, each a look at the conversation. */
const MAX_STEERS = 5

/** Asks scenarios in order; where none answers, the reply says so. `isLongCut` tells of answers that were stopped. */
export function findReply(
  scenarios: readonly Scenario[],
  turn: OpenTurn,
  isLongCut: (messages: readonly RequestMessage[]) => boolean = () => false,
): FoundReply {
  // A second attempt comes late, but the first one came at once.
  const isOver = ({ before, said, after }: Steer): boolean =>
    turn.attempt === 0 && said !== undefined && after.length === 0 && isLongCut(before)
  const draft = draftReply(scenarios, turn, { depth: MAX_STEERS, isOver })
  if (draft === undefined) {
    const names = scenarios.map(({ name }) => name).join(', ')
    const text = `No scenario answers this prompt; there are ${names}.`
    return { reply: { blocks: [{ type: 'text', text }] }, scenario: 'none' }
  }
  const { name, pace: usualPace } = draft.scenario
  return { reply: finish(draft), scenario: name, ...(usualPace && { usualPace }) }
}

interface DraftOptions {
  /** How many messages may still be taken away to find the prompt. */
  readonly depth: number
  /** Tells of words that came when nothing was at work any more. */
  readonly isOver?: (steer: Steer) => boolean
}

function draftReply(
  scenarios: readonly Scenario[],
  turn: OpenTurn,
  { depth, isOver = () => false }: DraftOptions,
): Draft | undefined {
  const chosen = choose(scenarios, turn.prompt)
  if (chosen === undefined) return undefined
  const { scenario, args } = chosen
  const mayAcknowledge = depth > 0 && scenario.acknowledge?.([turn.prompt]) !== undefined
  const steer = mayAcknowledge ? readSteer(turn.messages) : undefined
  const draft = (messages: readonly RequestMessage[], attempt = turn.attempt): Draft | undefined =>
    draftReply(scenarios, toTurn({ messages, tools: turn.tools }, attempt), { depth: depth - 1 })
  const goesOn = steer === undefined || isOver(steer) ? undefined : goOn(steer, draft)
  if (goesOn === undefined) return { scenario, reply: scenario.reply({ ...turn, args }), words: [] }
  // Words to which the model has said something since were acknowledged then.
  if (turn.step > 0) return goesOn
  const { acknowledge } = scenario
  return { ...goesOn, words: [...goesOn.words, turn.prompt], ...(acknowledge && { acknowledge }) }
}

/** What the script that was at work says next; undefined if it had finished, so that the words are a prompt. */
function goOn(
  { before, said, after }: Steer,
  draft: (messages: readonly RequestMessage[], attempt?: number) => Draft | undefined,
): Draft | undefined {
  if (said === undefined) return draft([...before, ...after])
  // Scripts that fail at first have something to say on the second attempt.
  const cut = draft(before, 1)
  if (cut === undefined) return undefined
  const reply = finish(cut)
  const isPaused = reply.stopReason === 'pause_turn'
  const next = isPaused ? draft([...before, { role: 'assistant', content: said }]) : undefined
  const whole = next ? { ...next.reply, blocks: [...reply.blocks, ...next.reply.blocks] } : reply
  const rest = restOfReply(whole, said)
  if (rest === undefined) return undefined
  return after.length > 0
    ? draft([...before, ...after])
    : { scenario: cut.scenario, reply: rest, words: [] }
}

function choose(scenarios: readonly Scenario[], prompt: string): Chosen | undefined {
  for (const scenario of scenarios) {
    const match = scenario.matches(prompt)
    if (match !== false) return { scenario, args: match === true ? {} : match }
  }
  return undefined
}

/** What is acknowledged stands before what is said, and behind what is thought. */
function finish({ reply, words, acknowledge }: Draft): ScriptedReply {
  const text = words.length === 0 ? undefined : acknowledge?.(words)
  if (text === undefined) return reply
  const { blocks } = reply
  const first = blocks.findIndex(({ type }) => !type.endsWith('thinking'))
  const thoughts = blocks.slice(0, Math.max(first, 0))
  return {
    ...reply,
    blocks: [...thoughts, { type: 'text', text: `${text}\n\n` }, ...blocks.slice(thoughts.length)],
  }
}
