import type { Progress } from '@modelcontextprotocol/sdk/types.js'
import { isMillraceError } from '../errors/index.ts'
import type { JsonObject } from '../json/index.ts'
import { type BackendTool, defineTool, type RichOutput, type ToolContext } from '../tools/index.ts'
import type { ListedTool } from './listed-tool.ts'
import type { McpSettings } from './mcp-options.ts'
import { reasonOf } from './connection/reason-of.ts'
import { toOutput } from './result-output.ts'
import type { ServerConnection } from './connection/server-connection.ts'
import type { ToolPins } from './tool-pins.ts'

/** Maximum number of progress messages of a call. All of them are stored, so further ones are dropped. */
const MAX_PROGRESS_MESSAGES = 1000

interface MountedToolOptions {
  readonly name: string
  readonly connection: ServerConnection
  readonly settings: McpSettings
  readonly pins: ToolPins
}

/** Creates a tool that calls a server's tool. */
export function toTool(listed: ListedTool, options: MountedToolOptions): BackendTool {
  const { name, connection, settings, pins } = options
  const { description, inputSchema, annotations } = listed
  const { needsApproval, timeoutMs, trustAnnotations } = settings
  const isHinted = annotations.readOnlyHint === true || annotations.idempotentHint === true
  const idempotent = trustAnnotations && isHinted
  return defineTool({
    name,
    description,
    input: inputSchema,
    timeoutMs,
    idempotent,
    needsApproval:
      typeof needsApproval === 'boolean' ? needsApproval : needsApproval(listed.name, annotations),
    run: (input, context) =>
      callTool(listed, input, { context, connection, settings, pins, idempotent }),
  })
}

interface CallOptions {
  readonly context: ToolContext
  readonly connection: ServerConnection
  readonly settings: McpSettings
  readonly pins: ToolPins
  readonly idempotent: boolean
}

async function callTool(
  tool: ListedTool,
  input: JsonObject,
  { context, connection, settings, pins, idempotent }: CallOptions,
): Promise<RichOutput> {
  let reported = 0
  try {
    const result = await connection.request({
      method: 'tools/call',
      params: { name: tool.name, arguments: input },
      signal: context.signal,
      timeoutMs: settings.timeoutMs,
      isRepeatable: idempotent,
      check: () => pins.check(tool),
      onProgress: (progress) => {
        if (++reported <= MAX_PROGRESS_MESSAGES) context.progress(toProgressText(progress))
      },
    })
    return toOutput(result, settings)
  } catch (error) {
    const text = isMillraceError(error) ? error.message : `The call failed: ${reasonOf(error)}`
    return { text, isError: true }
  }
}

/** Maximum length of a progress message: one line. */
const MAX_MESSAGE_CHARS = 500

function toProgressText({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`
  if (message === undefined || message === '') return share
  return `${message.slice(0, MAX_MESSAGE_CHARS)} (${share})`
}
