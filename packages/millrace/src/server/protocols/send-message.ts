import { isMillraceError } from '../../errors/index.ts'
import type { StreamReply, UserMessage } from '../../protocols/port/index.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import { hasFailed, type MessageKey } from '../commands/receipts.ts'
import { digestOf, toMessageId, toRequestKey } from '../requests/message-key.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { FoundPrompt } from '../runs/runs.ts'
import type { ServerContext } from '../server-context.ts'
import {
  type CurrentSession,
  findCurrentSession,
  readActivePart,
  readActiveRun,
  readNewestRun,
} from '../sessions/current-session.ts'
import { toMessagePrompt } from './message-prompt.ts'
import type { Outcome, StreamRequest } from './planned-request.ts'

/** Starts a run with a message; a repeated request reads the run that it has started before. */
export async function sendMessage(planned: StreamRequest, message: UserMessage): Promise<Outcome> {
  const { context, session, protocol, check } = planned
  const { owner, context: sender } = await check('run')
  const prompt = await toMessagePrompt(message.parts, context, session)
  const key = await toKey(
    protocol,
    message,
    await digestOf([message.id ?? message.requestId, prompt]),
  )
  const find = () => findSame(planned, message, key)
  const same = await find()
  const promptRequest: PromptRequest = {
    session,
    prompt,
    owner,
    ...(sender !== undefined && { context: sender }),
    history: false,
    toolInput: message.toolInput,
    ...(key !== undefined && { key }),
    ...(message.agentType !== undefined && { agentType: message.agentType }),
  }
  const start = async () => {
    if (same !== undefined) return same.range
    try {
      return await context.runs.ask(promptRequest)
    } catch (error) {
      // The same request, sent twice at once, was faster.
      const faster = isMillraceError(error) && error.code === 'conflict' ? await find() : undefined
      if (faster === undefined) throw error
      return faster.range
    }
  }
  const facts = { shows: 'message', needsOpening: true, run: same?.run } as const
  return { start, isRun: same === undefined, facts }
}

/** Returns the key of a message in the inbox of its session, with that of its request; undefined if neither has an id. */
async function toKey(
  protocol: string,
  { id, requestId, repeatOf = 'any' }: UserMessage,
  digest: string,
): Promise<MessageKey | undefined> {
  const alias = requestId === undefined ? undefined : await toRequestKey(protocol, requestId)
  if (id === undefined)
    return alias === undefined ? undefined : { key: alias, digest, ...toMessageId(requestId) }
  const reuse = repeatOf === 'any' ? 'after_failure' : 'always'
  const rest = { digest, reuse, ...toMessageId(id) } as const
  if (alias === undefined) return { key: `${protocol}:${digest}`, ...rest }
  return { key: `${protocol}-message:${digest}`, alias, ...rest }
}

/** Finds the run of the same request or of the same message. */
async function findSame(
  { context, session, reply: { extent } }: StreamRequest,
  { repeatOf = 'any' }: UserMessage,
  key: MessageKey | undefined,
): Promise<FoundPrompt | undefined> {
  const current =
    key === undefined || repeatOf === 'none'
      ? undefined
      : await findCurrentSession(context, session)
  if (key === undefined || current === undefined) return undefined
  const { info, head } = current
  const known = key.alias === undefined ? undefined : await context.runs.find(info, key.alias)
  if (known !== undefined) return known
  if (head.prompt?.digest === key.digest) {
    const readActive = extent === 'run' ? readActiveRun : readActivePart
    const range =
      (await readActive(context, current)) ?? (await readEnded(context, current, extent))
    if (range !== undefined) return { run: head.runs, range }
  }
  const asked = repeatOf === 'any' ? await context.runs.find(info, key.key, key) : undefined
  return asked === undefined || hasFailed(head, asked.run) ? undefined : asked
}

/** Returns the range of the newest run, if whole runs are requested and it has not failed. */
async function readEnded(
  context: ServerContext,
  current: CurrentSession,
  extent: StreamReply['extent'],
): Promise<LogRange | undefined> {
  const { head } = current
  if (extent !== 'run' || hasFailed(head, head.runs)) return undefined
  return readNewestRun(context, current)
}
