import type { Pace } from '../pace.ts'
import { readSteer, type Steer } from './read-steer.ts'
import { restOfReply } from './rest-of-reply.ts'
import type { RequestMessage } from '../request/request-content.ts'
import type { Scenario, ScenarioArgs, Turn } from './scenario.ts'
import type { ScriptedReply } from './scripted-reply.ts'
import { toTurn } from './turn.ts'

/** The reply of a scenario, and the scenario's name. */
export interface FoundReply {
  readonly reply: ScriptedReply
  readonly scenario: string
  /** Default pace of the scenario. */
  readonly defaultPace?: Pace
}

type OpenTurn = Omit<Turn, 'args'>

interface ScenarioMatch {
  readonly scenario: Scenario
  readonly args: ScenarioArgs
}

/** A reply, and the messages that it must acknowledge first. */
interface Draft {
  readonly scenario: Scenario
  readonly reply: ScriptedReply
  readonly steerTexts: readonly string[]
  readonly acknowledge?: Scenario['acknowledge']
}

/**
 * Maximum number of steering messages of one scenario; more than users send, and each costs a pass over the
 * conversation.
 */
const MAX_STEERS = 5

/**
 * Tries scenarios in order; if none answers, the reply reports that. `isLongCut` recognizes answers that were
 * stopped.
 */
export function findReply(
  scenarios: readonly Scenario[],
  turn: OpenTurn,
  isLongCut: (messages: readonly RequestMessage[]) => boolean = () => false,
): FoundReply {
  // A retry arrives late, but the first attempt arrived at once.
  const isOver = ({ before, sent, after }: Steer): boolean =>
    turn.attempt === 0 && sent !== undefined && after.length === 0 && isLongCut(before)
  const draft = draftReply(scenarios, turn, { depth: MAX_STEERS, isOver })
  if (draft === undefined) {
    const names = scenarios.map(({ name }) => name).join(', ')
    const text = `No scenario answers this prompt; there are ${names}.`
    return { reply: { blocks: [{ type: 'text', text }] }, scenario: 'none' }
  }
  const { name, pace: defaultPace } = draft.scenario
  return { reply: finish(draft), scenario: name, ...(defaultPace && { defaultPace }) }
}

interface DraftOptions {
  /** Number of messages that may still be removed to find the prompt. */
  readonly depth: number
  /** Checks whether a message arrived when no scenario was active any more. */
  readonly isOver?: (steer: Steer) => boolean
}

function draftReply(
  scenarios: readonly Scenario[],
  turn: OpenTurn,
  { depth, isOver = () => false }: DraftOptions,
): Draft | undefined {
  const match = choose(scenarios, turn.prompt)
  if (match === undefined) return undefined
  const { scenario, args } = match
  const mayAcknowledge = depth > 0 && scenario.acknowledge?.([turn.prompt]) !== undefined
  const steer = mayAcknowledge ? readSteer(turn.messages) : undefined
  const draft = (messages: readonly RequestMessage[], attempt = turn.attempt): Draft | undefined =>
    draftReply(scenarios, toTurn({ messages, tools: turn.tools }, attempt), { depth: depth - 1 })
  const continued =
    steer === undefined || isOver(steer) ? undefined : continueScenario(steer, draft)
  if (continued === undefined)
    return { scenario, reply: scenario.reply({ ...turn, args }), steerTexts: [] }
  // A later step follows an answer that already acknowledged the messages.
  if (turn.step > 0) return continued
  const { acknowledge } = scenario
  return {
    ...continued,
    steerTexts: [...continued.steerTexts, turn.prompt],
    ...(acknowledge && { acknowledge }),
  }
}

/** Returns the next reply of the active scenario; undefined if it has finished, so that the messages are a prompt. */
function continueScenario(
  { before, sent, after }: Steer,
  draft: (messages: readonly RequestMessage[], attempt?: number) => Draft | undefined,
): Draft | undefined {
  if (sent === undefined) return draft([...before, ...after])
  // A script that fails at first has a reply only on the second attempt.
  const cut = draft(before, 1)
  if (cut === undefined) return undefined
  const reply = finish(cut)
  const isPaused = reply.stopReason === 'pause_turn'
  const next = isPaused ? draft([...before, { role: 'assistant', content: sent }]) : undefined
  const whole = next ? { ...next.reply, blocks: [...reply.blocks, ...next.reply.blocks] } : reply
  const rest = restOfReply(whole, sent)
  if (rest === undefined) return undefined
  return after.length > 0
    ? draft([...before, ...after])
    : { scenario: cut.scenario, reply: rest, steerTexts: [] }
}

function choose(scenarios: readonly Scenario[], prompt: string): ScenarioMatch | undefined {
  for (const scenario of scenarios) {
    const match = scenario.matches(prompt)
    if (match !== false) return { scenario, args: match === true ? {} : match }
  }
  return undefined
}

/** Puts the acknowledgement before the answer and after the thinking. */
function finish({ reply, steerTexts, acknowledge }: Draft): ScriptedReply {
  const text = steerTexts.length === 0 ? undefined : acknowledge?.(steerTexts)
  if (text === undefined) return reply
  const { blocks } = reply
  const first = blocks.findIndex(({ type }) => !type.endsWith('thinking'))
  const thoughts = blocks.slice(0, Math.max(first, 0))
  return {
    ...reply,
    blocks: [...thoughts, { type: 'text', text: `${text}\n\n` }, ...blocks.slice(thoughts.length)],
  }
}
