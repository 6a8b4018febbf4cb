import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type { Pace } from '../pace.ts'
import { splitAtNewestMessage, type RequestMessage } from '../request/request-content.ts'
import type { Scenario, ScenarioArgs, Turn } from './scenario.ts'
import type { ScriptedReply, ScriptedBlock, ScriptedText } from './scripted-reply.ts'
import { toTurn } from './turn.ts'

/** Results that an agent writes for calls at the end of a run: a message after them is a new prompt. */
const endResults = [
  /^The run was stopped\b/,
  /^The user stopped the run\b/,
  /^The tool was not run, because the message\b/,
]

/** The result that an agent writes for calls that a steering message prevented. */
const preventedResult = /^The tool was not run, because the user wrote a new message\b/

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

/** Maximum number of steering messages of one scenario; more than users send, and each costs a pass over the conversation. */
const MAX_STEERS = 5

/** Tries scenarios in order; if none answers, the reply reports that. `isLongCut` recognizes answers that were stopped. */
export function findReply(
  scenarios: readonly Scenario[],
  turn: OpenTurn,
  isLongCut: (messages: readonly RequestMessage[]) => boolean = () => false,
): { readonly reply: ScriptedReply; readonly scenario: string; readonly defaultPace?: Pace } {
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

/** A message that arrived while the model was active, and the conversation without it. */
interface Steer {
  /** The messages that the model had read when it arrived. */
  readonly before: readonly RequestMessage[]
  /** The answer that it cut; undefined if the model was not answering. */
  readonly sent: readonly JsonObject[] | undefined
  readonly after: readonly RequestMessage[]
}

/**
 * Returns the newest message if it may have arrived during a run. A cut answer looks like a complete one, so the
 * caller must compare it with the script.
 */
function readSteer(messages: readonly RequestMessage[]): Steer | undefined {
  const { before = [], after = [] } = splitAtNewestMessage(messages) ?? {}
  const answerIndex = before.findLastIndex(({ role }) => role === 'assistant')
  const since = before.slice(answerIndex + 1)
  if (before.length === 0) return undefined
  const cut = {
    before: before.slice(0, answerIndex),
    sent: before[answerIndex]?.content ?? [],
    after,
  }
  if (since.length === 0) return cut
  const blocks = since.flatMap(({ content }) => content)
  const uncut = { before, sent: undefined, after }
  // Two user messages with no answer between them.
  if (blocks.some(({ type }) => type !== 'tool_result')) return uncut
  const problems = blocks.filter((block) => block['is_error'] === true).map(toText)
  if (problems.some((text) => endResults.some((pattern) => pattern.test(text)))) return undefined
  return problems.some((text) => preventedResult.test(text)) ? cut : uncut
}

function toText({ content }: JsonObject): string {
  if (typeof content === 'string') return content
  return isJsonArray(content) ? content.map(partText).join('\n') : ''
}

function partText(part: JsonValue): string {
  return isJsonObject(part) ? String(part['text'] ?? '') : ''
}

/** Block types that do not count as sent: calls that were not run are repeated, and thinking precedes the rest. */
const uncounted: ReadonlySet<unknown> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
])

/**
 * Returns the rest of a reply that was cut after some blocks; undefined if nothing is left, or if the blocks
 * belong to another reply. A cut paragraph is repeated from its beginning; exact chunks continue at the cut.
 */
export function restOfReply(
  reply: ScriptedReply,
  sent: readonly JsonObject[],
): ScriptedReply | undefined {
  let text = sent.map((block) => (block['type'] === 'text' ? String(block['text']) : '')).join('')
  let counted = sent.filter(({ type }) => !uncounted.has(type)).length
  const rest: ScriptedBlock[] = []
  let isCut = false
  const addRest = (block: ScriptedBlock): void => {
    isCut = true
    rest.push(block)
  }
  for (const block of reply.blocks) {
    if (isCut || block.type === 'tool_use') rest.push(block)
    else if (block.type === 'error') return undefined
    else if (block.type === 'text') {
      const expected = [block.text].flat().join('')
      if (!text.startsWith(expected) && !expected.startsWith(text)) return undefined
      if (!text.startsWith(expected)) addRest(text === '' ? block : cutText(block, text.length))
      text = text.slice(expected.length)
    } else if (uncounted.has(block.type)) {
      if (text === '' && counted === 0) addRest(block)
    } else if (counted > 0) counted -= 1
    else addRest(block)
  }
  return rest.length === 0 || text !== '' ? undefined : { ...reply, blocks: rest }
}

function cutText(block: ScriptedText, length: number): ScriptedText {
  const { text } = block
  if (typeof text === 'string')
    return { ...block, text: text.slice(startOfParagraph(text, length)) }
  let left = length
  const pieces = text.flatMap((piece) => {
    const kept = piece.slice(left)
    left = Math.max(0, left - piece.length)
    return kept === '' ? [] : [kept]
  })
  return { ...block, text: pieces }
}

function startOfParagraph(text: string, length: number): number {
  const gap = text.slice(0, length).lastIndexOf('\n\n')
  return gap < 0 ? 0 : gap + 2
}
