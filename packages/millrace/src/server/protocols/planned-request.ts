import type { PendingCall, PendingCalls } from '../../agent/port/index.ts'
import { addToDigest, emptyDigest, toDigestText, toRequestFields } from '../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, parseJsonOr } from '../../json/index.ts'
import type {
  PastRun,
  PausedCall,
  Plan,
  StreamFacts,
  StreamReply,
  WaitingCalls,
} from '../../protocols/port/index.ts'
import type { Action } from '../handler-options.ts'
import type { LogRange } from '../runs/run-services.ts'
import { checkAccess } from '../access/check-access.ts'
import type { Identity } from '../access/identity.ts'
import type { ServerContext } from '../server-context.ts'
import { EMITTED_RESULTS, readConversationDigest, readConversations } from '../runs/stored-run.ts'
import type { ViewRules } from '../views/view-rules.ts'
import { isHidden, viewConversation, viewPending } from '../views/viewed-answers.ts'

/** A request of a protocol while its plan is carried out. */
export interface PlannedRequest {
  readonly context: ServerContext
  readonly request: Request
  readonly protocol: string
  readonly session: string
  readonly plan: Plan
  /** Returns the sender, and throws unless it may do this; each action is authorized once. */
  readonly check: (action: Action) => Promise<Identity>
}

/** A checked plan that has not taken effect yet. */
export interface Outcome {
  /** Carries out the plan; resolves with the range to read. */
  readonly start: () => Promise<LogRange>
  /** Whether a run starts or continues. */
  readonly isRun: boolean
  readonly facts: OutcomeFacts
}

/** Facts for the format of a stream; the rest of them is the same for every outcome. */
export interface OutcomeFacts extends Partial<Pick<StreamFacts, 'waiting' | 'answered'>> {
  readonly shows: StreamFacts['shows']
  readonly needsOpening: boolean
  /** The number of the run that is shown; absent if it has not started. */
  readonly run?: number | undefined
}

/** A planned request that is answered with a stream. */
export interface StreamRequest extends PlannedRequest {
  readonly reply: StreamReply
}

/** Creates the access check of a request. */
export function createCheck(
  context: ServerContext,
  request: Request,
  session: string,
): PlannedRequest['check'] {
  const checks = new Map<Action, Promise<Identity>>()
  return (action) => {
    const known = checks.get(action) ?? checkAccess(context, request, action, session)
    checks.set(action, known)
    return known
  }
}

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
  return readConversationDigest({ store: context.store, session }, end)
}

async function* readHistory(
  { context: { store, agents }, session }: PlannedRequest,
  view: () => Promise<ViewRules | undefined>,
  end: number | undefined,
): AsyncGenerator<PastRun> {
  const rules = await view()
  const isWhole = showsMessages(rules)
  for (let before = end; ;) {
    const page = await readConversations({ store, session, agents }, { limit: PAGE_RUNS, before })
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
  if (!json.includes(`"${EMITTED_RESULTS}":`)) return []
  const { [EMITTED_RESULTS]: results } = JSON.parse(json) as JsonObject
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
