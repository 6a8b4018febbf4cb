import type { AnnouncedCall, SpanOutcome } from '../../events/index.ts'
import {
  type BackendTool,
  checkCall,
  errorAnswer,
  fromResultBlock,
  parseInput,
  runTool,
  type Tool,
  type ToolAnswer,
} from '../../tools/index.ts'
import { answerTo, changeAgent, type Decision, decisionOn } from '../state/index.ts'
import {
  type CallUpdate,
  type CallWork,
  toAnswered,
  toResult,
  toStatus,
  type WaitReason,
} from './call-update.ts'
import { decidedCall, isPast, withDecision, withEdit } from './decide-call.ts'
import { keepLargeResult, READ_RESULT, readStoredResult } from './large-results.ts'
import { markReported, toDecisionStatus } from './report-answers.ts'
import { reportCall } from '../loop/step-hooks.ts'
import { currentSpan, type Run } from '../run.ts'
import { SPAWN_SUBAGENT } from '../subagents/spawn-schema.ts'
import { canSpawn, spawnSubagent } from '../subagents/spawn-subagent.ts'
import { awaitOrAbort } from '../../streams/index.ts'

const OUTCOME_UNKNOWN =
  'The server stopped while this tool was running; its outcome is unknown. Check before you call it again.'

/** Maximum length of a progress message; the rest is cut. */
const MAX_PROGRESS_CHARS = 500

/** Does the next work on a call; a pending one stays open and is recorded in `waits`. After a stop no work starts. */
export async function* workOnCall(
  run: Run,
  call: AnnouncedCall,
  waits: Map<string, WaitReason>,
): CallWork {
  const { turn } = run.state
  if (turn === undefined || run.signal.aborted) return
  const decision = decisionOn(turn, call.id)
  const isReported = turn.decided?.includes(call.id) === true
  if (decision !== undefined && (decision.outcome !== 'approved' || decision.isVoid)) {
    if (!isReported) yield toDecided(run, call, decision)
    return yield* toResult(run, call, refusalOf(decision))
  }
  const isAsked = turn.asked?.includes(call.id) === true
  if (decision === undefined && (isAsked || (await needsApproval(run, call)))) {
    waits.set(call.id, 'approval')
    return
  }
  if (run.signal.aborted) return
  // A call that waits for approval was not running.
  if (run.lost.has(call.id) && !mayRepeat(run, call))
    return yield* toAnswered(run, call, errorAnswer(OUTCOME_UNKNOWN))
  if (decision !== undefined && !isReported) yield toDecided(run, call, decision)
  if (!isHandedOut(run, call) && hasExpired(run, call)) return yield* expireApproval(run, call)
  yield* doCall(run, call, waits)
}

function needsApproval(run: Run, call: AnnouncedCall): Promise<boolean | undefined> | boolean {
  const { settings, signal } = run
  if (isSpawn(run, call)) return settings.subagentsNeedApproval && canSpawn(run, call)
  const tool = run.toolbox.find(call.name)
  const input = parseInput(call.inputText)
  if (tool === undefined || 'problem' in input) return false
  return awaitOrAbort(tool.needsApproval(input.value, { context: run.context }), signal)
}

function isSpawn({ settings }: Run, { name }: AnnouncedCall): boolean {
  return name === SPAWN_SUBAGENT && settings.subagents.size > 0
}

/** Checks whether a call may run twice. */
function mayRepeat({ toolbox }: Run, { name }: AnnouncedCall): boolean {
  const tool = toolbox.find(name)
  return tool?.kind !== 'backend' || tool.idempotent
}

/** Reports a decision once; it is stored before the tool runs. */
function toDecided(
  { state: { agent } }: Run,
  { id, name }: AnnouncedCall,
  decision: Decision,
): CallUpdate {
  return {
    event: toDecisionStatus({ agent, id, name }, decision),
    change: (state) => markReported(state, agent, { list: 'decided', id }),
  }
}

async function* doCall(run: Run, given: AnnouncedCall, waits: Map<string, WaitReason>): CallWork {
  const { state } = run
  const call = decidedCall(state.turn, given)
  const edit = call === given ? undefined : call.inputText
  if (isSpawn(run, call)) return yield* spawnSubagent(run, call, { waits, edit })
  if (call.name === READ_RESULT && state.kept !== undefined)
    return yield* toAnswered(run, call, readStoredResult(state.kept, call))
  const tool = run.toolbox.find(call.name)
  if (tool === undefined) return yield* toAnswered(run, call, unknownTool(run, call))
  if (tool.kind === 'backend') return yield* runBackend(run, tool, { call, edit })
  const answer = await awaitOrAbort(answerOfBrowser(run, tool, call), run.signal)
  if (answer === undefined) waits.set(call.id, 'frontend')
  else yield* toAnswered(run, call, withEdit(answer, edit))
}

async function* runBackend(
  run: Run,
  tool: BackendTool,
  { call, edit }: { readonly call: AnnouncedCall; readonly edit: string | undefined },
): CallWork {
  const { agent, runId } = run.state
  const { name, inputText } = call
  const { description } = tool.schema
  const span = currentSpan(run).start('tool', { name, callId: call.id, description, inputText })
  const reports = createLatest<string>()
  try {
    yield toStatus(run, call, 'started')
    await run.permit()
    if (run.signal.aborted) return
    // Storing the call and waiting for the permit may have taken long.
    if (hasExpired(run, call)) return yield* expireApproval(run, call)
    reportCall(run, call)
    const running = span.run(() =>
      runTool(tool, call, {
        signal: run.signal,
        idempotencyKey: `${runId}/${call.id}`,
        agent,
        context: run.context,
        // Tools may pass any value, despite the types.
        progress: (message: unknown) => reports.set(shorten(String(message))),
        onError: run.settings.onError,
      }).finally(reports.close),
    )
    for await (const report of reports) yield toStatus(run, call, 'progress', report)
    const answer = withEdit(await running, edit)
    span.end(toOutcome(answer))
    yield* keepLargeResult(run, call, answer)
  } finally {
    span.end()
  }
}

function toOutcome({ text, isError }: ToolAnswer): SpanOutcome {
  return { text, ...(isError && { error: { type: 'tool_error', message: text } }) }
}

function shorten(text: string): string {
  if (text.length <= MAX_PROGRESS_CHARS) return text
  return `${text.slice(0, MAX_PROGRESS_CHARS - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Returns the answer of the browser or an error in the call; undefined if the call must go to the browser. */
async function answerOfBrowser(
  { state }: Run,
  tool: Exclude<Tool, BackendTool>,
  call: AnnouncedCall,
): Promise<ToolAnswer | undefined> {
  const sent = state.turn && answerTo(state.turn, call.id)
  return sent === undefined ? checkCall(tool, call) : fromResultBlock(sent)
}

function unknownTool({ settings, toolbox }: Run, { name }: AnnouncedCall): ToolAnswer {
  const names = toolbox.schemas.map((schema) => schema.name)
  if (settings.subagents.size > 0) names.push(SPAWN_SUBAGENT)
  return errorAnswer(`There is no tool "${name}". The tools are: ${names.join(', ') || 'none'}.`)
}

const REQUEST_EXPIRED =
  'Nobody decided on this call in time, so it was not run. Make it again if it is still needed; the user is then asked again.'
const APPROVAL_EXPIRED =
  'The approval of this call expired before the tool started, so it does not run. Make the call again if it is still needed; the user is then asked again.'

/** Checks whether an approved call was passed to the browser or a sub-agent, after which its approval cannot expire. */
function isHandedOut({ state: { turn } }: Run, { id }: AnnouncedCall): boolean {
  return turn?.announced?.includes(id) === true || turn?.spawned?.[id] !== undefined
}

/** Checks whether the approval of a call has expired, so that its tool must not start. [APR-4] */
function hasExpired({ state: { turn }, now }: Run, { id }: AnnouncedCall): boolean {
  const decision = turn && decisionOn(turn, id)
  return isPast(decision?.expiresAt, now())
}

/** Voids the expired approval of a call and returns an error result to the model. */
function* expireApproval(run: Run, call: AnnouncedCall): Generator<CallUpdate, void, undefined> {
  const { agent, turn } = run.state
  const { id, name } = call
  const decision = turn && decisionOn(turn, id)
  if (decision?.expiresAt === undefined) return
  const { expiresAt: at, inputHash } = decision
  const hash = inputHash === undefined ? {} : { inputHash }
  const voided: Decision = { ...decision, isVoid: true }
  yield {
    event: toDecisionStatus({ agent, id, name }, { outcome: 'expired', at, ...hash }),
    change: (state) =>
      changeAgent(state, agent, (one) =>
        one.turn === undefined ? one : { ...one, turn: withDecision(one.turn, id, voided) },
      ),
  }
  yield* toResult(run, call, refusalOf(voided))
}

/** Returns the result of a call that was denied or has expired. */
function refusalOf({ outcome, reason, isVoid }: Decision): ToolAnswer {
  if (isVoid) return errorAnswer(APPROVAL_EXPIRED)
  if (outcome === 'expired') return errorAnswer(REQUEST_EXPIRED)
  const why = reason === undefined || reason === '' ? '' : ` Their reason: ${reason}`
  return errorAnswer(`The user refused this call; it was not run.${why}`)
}

/** A value that may change faster than it is read. The reader gets the latest one; nothing accumulates. */
interface Latest<Value> extends AsyncIterable<Value> {
  readonly set: (value: Value) => void
  /** Ends the reading after the latest value. */
  readonly close: () => void
}

/** Creates a value that one reader follows until it is closed. */
function createLatest<Value>(): Latest<Value> {
  let fresh: { readonly value: Value } | undefined
  let isClosed = false
  let wake = () => {}
  return {
    set(value) {
      if (!isClosed) fresh = { value }
      wake()
    },
    close() {
      isClosed = true
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        if (fresh !== undefined) {
          const { value } = fresh
          fresh = undefined
          yield value
        } else if (isClosed) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}
