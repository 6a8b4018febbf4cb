import type { AwaitedCall } from '../events/index.ts'
import {
  type BackendTool,
  checkCall,
  errorAnswer,
  fromResultBlock,
  parseInput,
  runTool,
  type Tool,
  type ToolAnswer,
} from '../tools/index.ts'
import type { Decision } from './agent-state.ts'
import { type CallWork, toAnswered, toStatus, type Wait } from './deed.ts'
import { keepLargeResult, readKeptResult, READ_RESULT } from './large-results.ts'
import { createLatest } from './latest.ts'
import type { Run } from './run.ts'
import { SPAWN_SUBAGENT, spawnSubagent } from './spawn-subagent.ts'
import { answerTo, decisionOn } from './turn-answers.ts'

/** Does what a call needs next; one that must wait for someone is left open and noted in `waits`. */
export async function* workOnCall(run: Run, call: AwaitedCall, waits: Map<string, Wait>): CallWork {
  const { turn } = run.state
  if (turn === undefined) return
  const decision = decisionOn(turn, call.id)
  if (decision?.outcome === 'refused') {
    yield toStatus(run, call, 'refused', decision.reason)
    return yield* toAnswered(run, call, refusalOf(decision))
  }
  if (decision === undefined && (await needsApproval(run, call))) {
    waits.set(call.id, 'approval')
    return
  }
  if (decision !== undefined) yield toStatus(run, call, 'approved', decision.inputText)
  yield* doCall(run, call, waits, decision)
}

async function needsApproval({ settings }: Run, { name, inputText }: AwaitedCall) {
  if (name === SPAWN_SUBAGENT && settings.subagents.size > 0) return settings.subagentsNeedApproval
  const tool = settings.toolbox.find(name)
  const input = parseInput(inputText)
  return tool !== undefined && 'value' in input && (await tool.needsApproval(input.value))
}

function refusalOf({ reason }: Decision): ToolAnswer {
  const why = reason === undefined || reason === '' ? '' : ` Their reason: ${reason}`
  return errorAnswer(`The user refused this call; it was not run.${why}`)
}

async function* doCall(
  run: Run,
  asked: AwaitedCall,
  waits: Map<string, Wait>,
  decision: Decision | undefined,
): CallWork {
  const { settings, state } = run
  const call =
    decision?.inputText === undefined ? asked : { ...asked, inputText: decision.inputText }
  if (call.name === SPAWN_SUBAGENT && settings.subagents.size > 0)
    return yield* spawnSubagent(run, call, waits)
  if (call.name === READ_RESULT && state.kept !== undefined)
    return yield* toAnswered(run, call, readKeptResult(state.kept, call))
  const tool = settings.toolbox.find(call.name)
  if (tool === undefined) return yield* toAnswered(run, call, unknownTool(run, call))
  if (tool.kind === 'backend') return yield* runBackend(run, tool, { call, asked })
  const answer = await answerOfBrowser(run, tool, call)
  if (answer === undefined) waits.set(call.id, 'frontend')
  else yield* toAnswered(run, call, answer)
}

async function* runBackend(
  run: Run,
  tool: BackendTool,
  { call, asked }: { readonly call: AwaitedCall; readonly asked: AwaitedCall },
): CallWork {
  const { agent, runId } = run.state
  const { name, inputText } = call
  const span = run.span.start('tool', { name, callId: call.id, inputText })
  const reports = createLatest<string>()
  yield toStatus(run, call, 'started')
  const running = span.run(() =>
    runTool(tool, call, {
      signal: run.signal,
      idempotencyKey: `${runId}/${call.id}`,
      agent,
      progress: reports.set,
      onError: run.settings.onError,
    }).finally(reports.close),
  )
  for await (const report of reports) yield toStatus(run, call, 'progress', report)
  const answer = withEdit(await running, call, asked)
  span.end({
    text: answer.text,
    ...(answer.isError && { error: { type: 'tool_error', message: answer.text } }),
  })
  yield* keepLargeResult(run, call, answer)
}

/** What the browser sent, or what is wrong with the call; undefined if it has to be asked. */
async function answerOfBrowser(
  { state }: Run,
  tool: Exclude<Tool, BackendTool>,
  call: AwaitedCall,
): Promise<ToolAnswer | undefined> {
  const sent = state.turn && answerTo(state.turn, call.id)
  return sent === undefined ? checkCall(tool, call) : fromResultBlock(sent)
}

/** The model must know that its call was run with other arguments than its own. */
function withEdit(answer: ToolAnswer, call: AwaitedCall, asked: AwaitedCall): ToolAnswer {
  if (call === asked) return answer
  const note = `The user changed the arguments before the tool ran: ${call.inputText}`
  const content =
    typeof answer.content === 'string'
      ? `${note}\n${answer.content}`
      : [{ type: 'text', text: note }, ...answer.content]
  return { ...answer, text: `${note}\n${answer.text}`, content }
}

function unknownTool({ settings }: Run, { name }: AwaitedCall): ToolAnswer {
  const names = settings.toolbox.schemas.map((schema) => schema.name).join(', ') || 'none'
  return errorAnswer(`There is no tool "${name}". The tools are: ${names}.`)
}
