import type { PendingCall, PendingCalls } from '../../agent/port/index.ts'
import { addToDigest, emptyDigest, toDigestText, toRequestFields } from '../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, parseJsonOr } from '../../json/index.ts'
import type { PastRun, PausedCall, StreamFacts, WaitingCalls } from '../../protocols/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { readConversationDigest, readConversations } from '../runs/stored-run.ts'
import type { ViewRules } from '../views/view-rules.ts'
import { isHidden, viewConversation, viewPending } from '../views/viewed-answers.ts'
import type { OutcomeFacts, PlannedRequest } from './planned-request.ts'

const PAGE_RUNS = 20

/** Creates the facts for the format of a stream; the reader's view applies to all of them. */
export function toStreamFacts(
  planned: PlannedRequest,
  { run, answered = new Set(), waiting = () => undefined, ...facts }: OutcomeFacts,
): StreamFacts {
  const { context, request, session } = planned
  let rules: Promise<ViewRules | undefined> | undefined
  const view = () => (rules ??= context.viewOf(request, session))
  const hides = async (type: string, field: string) => isHidden(await view(), type, field)
  return {
    session,
    ...facts,
    answered,
    waiting,
    hides,
    history: () => readHistory(planned, view, run),
    isSameHistory: async (copy) =>
      showsMessages(await view()) &&
      toDigestText(addToDigest(emptyDigest, copy)) === (await readDigest(planned, run)),
  }
}

/** Reads the digest of the conversation before a run. */
function readDigest({ context, session }: PlannedRequest, end: number | undefined) {
  return mapStoreErrors(readConversationDigest({ store: context.store, session }, end))
}

async function* readHistory(
  { context: { store, agents }, session }: PlannedRequest,
  view: () => Promise<ViewRules | undefined>,
  end: number | undefined,
): AsyncGenerator<PastRun> {
  const rules = await view()
  const isWhole = showsMessages(rules)
  for (let before = end; ;) {
    const page = await mapStoreErrors(
      readConversations({ store, session, agents }, { limit: PAGE_RUNS, before }),
    )
    for (const one of page) {
      const json = viewConversation(one, rules)
      yield {
        number: one.number,
        conversation: JSON.parse(json) as JsonObject,
        results: showsResults(rules) ? emittedResults(one.json) : [],
        size: isWhole ? one.json.length : json.length,
      }
      before = one.number
    }
    if (page.length < PAGE_RUNS) return
  }
}

/** Returns the results that were emitted before a run paused. Its messages have them once all others are there. */
function emittedResults(json: string): readonly JsonObject[] {
  if (!json.includes('"told_results":')) return []
  const { told_results: results } = JSON.parse(json) as JsonObject
  return isJsonArray(results) ? results.filter(isJsonObject) : []
}

function showsMessages(rules: ViewRules | undefined): boolean {
  return !isHidden(rules, 'meta_final', 'conversation_history')
}

function showsResults(rules: ViewRules | undefined): boolean {
  return showsMessages(rules) && !isHidden(rules, 'tool_result', 'delta')
}

/** Lists calls that wait, as the reader may see them. */
export async function viewWaiting(
  { context, request, session }: PlannedRequest,
  pending: PendingCalls,
): Promise<WaitingCalls> {
  const { calls, approvals } = viewPending(pending, await context.viewOf(request, session))
  return { results: calls.map(toPausedCall), approvals: approvals.map(toPausedCall) }
}

function toPausedCall(call: PendingCall): PausedCall {
  const { id: callId, name, inputText, agent } = call
  return {
    callId,
    name,
    input: parseJsonOr(inputText, inputText),
    agent,
    request: toRequestFields(call),
  }
}
