import type { AnnouncedCall } from '../events/index.ts'
import { toToolErrorText } from '../outbound/index.ts'
import { LONGEST_TIMER_MS, onAbort } from '../streams/index.ts'
import { parseInput } from './input-contract.ts'
import { errorAnswer, type ToolAnswer, messageOf, toToolAnswer } from './tool-output.ts'
import type { BackendTool, FrontendTool } from './tool.ts'

interface RunToolOptions {
  readonly signal: AbortSignal
  readonly idempotencyKey: string
  readonly agent: string
  readonly context?: unknown
  readonly progress: (message: string) => void
  /** Receives the exception of the tool with its stack. The model receives only the message. */
  readonly onError: (error: unknown) => void
}

const interruptionTexts: Readonly<Record<InterruptionCause, (tool: BackendTool) => string>> = {
  stopped: () => 'The run was stopped before the tool had finished; its outcome is unknown.',
  timed_out: ({ schema, timeoutMs }) =>
    `Tool "${schema.name}" did not finish within ${timeoutMs} ms and was stopped; its outcome is unknown.`,
}

/** Runs a tool for one call. Never rejects: invalid arguments, exceptions and timeouts become error answers. */
export async function runTool(
  tool: BackendTool,
  call: AnnouncedCall,
  options: RunToolOptions,
): Promise<ToolAnswer> {
  const answer = await callTool(tool, call, options)
  return answer.isError ? withoutSecrets(answer) : answer
}

/** Masks secrets in an error answer. Errors often quote URLs and headers; regular results are the tool author's responsibility. */
function withoutSecrets({ text, content, ...rest }: ToolAnswer): ToolAnswer {
  return {
    ...rest,
    text: toToolErrorText(text),
    content: typeof content === 'string' ? toToolErrorText(content) : content,
  }
}

async function callTool(
  tool: BackendTool,
  call: AnnouncedCall,
  { signal, onError, ...rest }: RunToolOptions,
): Promise<ToolAnswer> {
  if (signal.aborted) return errorAnswer('The run was stopped before the tool was started.')
  const input = parseInput(call.inputText)
  if ('problem' in input) return errorAnswer(input.problem)
  const controller = new AbortController()
  const interruption = watchInterruption(signal, tool.timeoutMs)
  const context = { context: undefined, ...rest, signal: controller.signal, callId: call.id }
  try {
    const outcome = await Promise.race([tool.call(input.value, context), interruption.cause])
    if (typeof outcome === 'string') return errorAnswer(interruptionTexts[outcome](tool))
    return 'problem' in outcome ? errorAnswer(outcome.problem) : toToolAnswer(outcome.value)
  } catch (error) {
    onError(error)
    return errorAnswer(`Tool "${call.name}" failed: ${messageOf(error)}`)
  } finally {
    interruption.dispose()
    controller.abort()
  }
}

/** The reason why a tool was interrupted. */
type InterruptionCause = 'stopped' | 'timed_out'

/** Waits for a signal or a timeout. `dispose` releases both. */
function watchInterruption(signal: AbortSignal, timeoutMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let detach = () => {}
  const cause = new Promise<InterruptionCause>((resolve) => {
    detach = onAbort(signal, () => resolve('stopped'))
    if (timeoutMs <= LONGEST_TIMER_MS) timer = setTimeout(() => resolve('timed_out'), timeoutMs)
  })
  return {
    cause,
    /** Removes the timer and the listener. */
    dispose() {
      clearTimeout(timer)
      detach()
    },
  }
}

/** Validates a browser call before the run pauses. Returns an error answer for an invalid call. */
export async function checkCall(
  tool: FrontendTool,
  call: AnnouncedCall,
): Promise<ToolAnswer | undefined> {
  const input = parseInput(call.inputText)
  if ('problem' in input) return errorAnswer(input.problem)
  try {
    const checked = await tool.check(input.value)
    return 'problem' in checked ? errorAnswer(checked.problem) : undefined
  } catch (error) {
    return errorAnswer(`The arguments of "${call.name}" cannot be checked: ${messageOf(error)}`)
  }
}
