import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../../json/index.ts'
import { toDecision } from '../to-decision.ts'
import type { LoopAnswer, LoopEvent } from '../loop-event.ts'

/** The name of the call that stands for an interrupt without a call. */
export const INTERRUPT = 'langgraph_interrupt'

/** An interrupt of a graph. */
export interface Interrupt {
  readonly id: string
  readonly value: JsonValue
}

/** A call without a result. */
export interface OpenCall {
  readonly name: string
  readonly input: JsonValue
}

/** An interrupt with the calls whose answers resume it; stored while the graph waits. */
interface Waiting {
  readonly interrupt: string
  readonly calls: readonly string[]
  /** Whether its value is that of the human-in-the-loop middleware, which wants a list of decisions. */
  readonly isReview: boolean
}

/** The pause of a graph: its interrupts, and the events that announce them. */
interface Paused {
  readonly waiting: readonly Waiting[]
  readonly events: readonly LoopEvent[]
}

/** Converts the interrupts of a graph to approvals and calls of browser tools, of which some have the given names. */
export function pauseFor(
  interrupts: readonly Interrupt[],
  open: ReadonlyMap<string, OpenCall>,
  frontendTools: readonly string[],
): Paused {
  const left = new Map(open)
  const waiting = interrupts.map((one) => toWaiting(one, left))
  const questions = interrupts.filter(({ id }) =>
    waiting.some(({ interrupt, calls }) => interrupt === id && calls.includes(id)),
  )
  const isFrontend = (id: string): boolean => {
    const call = open.get(id)
    return call === undefined || frontendTools.includes(call.name)
  }
  const asked = waiting.flatMap(({ calls }) => calls)
  return { waiting, events: announce(questions, asked, isFrontend) }
}

function announce(
  questions: readonly Interrupt[],
  asked: readonly string[],
  isFrontend: (id: string) => boolean,
): readonly LoopEvent[] {
  const frontend = asked.filter(isFrontend)
  const approvals = asked.filter((id) => !isFrontend(id))
  return [
    ...questions.map(({ id, value }) => ({
      type: 'tool_call' as const,
      callId: id,
      name: INTERRUPT,
      input: isJsonObject(value) ? value : { value },
    })),
    ...(approvals.length > 0 ? [{ type: 'awaiting_approval' as const, calls: approvals }] : []),
    ...(frontend.length > 0 ? [{ type: 'awaiting_frontend_tools' as const, calls: frontend }] : []),
  ]
}

function toWaiting({ id: interrupt, value }: Interrupt, left: Map<string, OpenCall>): Waiting {
  const none = { interrupt, calls: [interrupt], isReview: false }
  if (!isJsonObject(value)) return none
  const { toolCallId, actionRequests } = value
  if (typeof toolCallId === 'string' && left.delete(toolCallId))
    return { ...none, calls: [toolCallId] }
  if (!isJsonArray(actionRequests)) return none
  const actions = actionRequests.filter(isJsonObject)
  const calls = actions.flatMap((action) => takeCall(action, left))
  return calls.length === actionRequests.length ? { interrupt, calls, isReview: true } : none
}

/** Finds the call of an action that the human-in-the-loop middleware asks for; it names no call. */
function takeCall({ name, args }: JsonObject, left: Map<string, OpenCall>): readonly string[] {
  const same = [...left].filter(([, call]) => call.name === name)
  const [found] = same.find(([, { input }]) => toText(input) === toText(args)) ?? same[0] ?? []
  if (found === undefined) return []
  left.delete(found)
  return [found]
}

/** Writes the interrupts of a graph as JSON. The ids of calls are members with the name that is replaced if an id was taken. */
export function storeWaiting(thread: string, waiting: readonly Waiting[]): JsonObject {
  return {
    thread,
    waiting: waiting.map(({ interrupt, calls, isReview }) => ({
      interrupt,
      isReview,
      calls: calls.map((callId) => ({ callId })),
    })),
  }
}

/** A thread that waits, and the value that resumes it. */
interface Resumption {
  readonly thread: string
  readonly resume: JsonValue
}

/** Reads the interrupts of a graph, and creates the value that resumes it. */
export function readWaiting(
  memory: readonly JsonValue[],
  answers: readonly LoopAnswer[],
): Resumption | undefined {
  const last = memory.at(-1)
  if (!isJsonObject(last) || answers.length === 0) return undefined
  const { thread, waiting } = last
  if (typeof thread !== 'string' || !isJsonArray(waiting)) return undefined
  const values = waiting
    .filter(isJsonObject)
    .map((one) => [toText(one['interrupt']), toValue(one, answers)] as const)
  const [only] = values
  if (only === undefined) return undefined
  return { thread, resume: values.length === 1 ? only[1] : Object.fromEntries(values) }
}

function toValue({ calls, isReview }: JsonObject, answers: readonly LoopAnswer[]): JsonValue {
  const ids = isJsonArray(calls) ? calls.filter(isJsonObject).map(({ callId }) => callId) : []
  const given = ids.flatMap((id) => answers.find(({ callId }) => callId === id) ?? [])
  if (isReview === true) return { decisions: given.map(toReview) }
  const [answer] = given
  if (answer === undefined) return null
  return answer.kind === 'result' ? toText(answer.content) : toDecision(answer)
}

/** Writes a decision in the form of the human-in-the-loop middleware. */
function toReview({ kind, isEdited, name, input, reason, content }: LoopAnswer): JsonObject {
  if (kind === 'result') return { type: 'respond', message: toText(content) }
  if (kind === 'refused')
    return { type: 'reject', ...(reason !== undefined && { message: reason }) }
  return isEdited ? { type: 'edit', editedAction: { name, args: input } } : { type: 'approve' }
}
