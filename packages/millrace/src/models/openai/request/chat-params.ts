import type { ModelRequest, ToolSchema } from '../../../events/index.ts'
import { isJsonArray, type JsonObject } from '../../../json/index.ts'

interface ChatParamsOptions {
  readonly maxTokensField: string
  readonly isStreamed: boolean
  /** Fields of every request; null omits one. */
  readonly extra: JsonObject
}

/** Creates the body of a request. Tools of `extra` follow those of the request. */
export function toChatParams(
  model: string,
  request: Pick<ModelRequest, 'tools' | 'maxTokens' | 'toolChoice'> & {
    readonly messages: readonly JsonObject[]
  },
  { maxTokensField, isStreamed, extra }: ChatParamsOptions,
): JsonObject {
  const { tools: more, ...others } = extra
  const tools = [...(request.tools ?? []).map(toTool), ...(isJsonArray(more) ? more : [])]
  const fields = {
    [maxTokensField]: request.maxTokens,
    ...(isStreamed && { stream_options: { include_usage: true } }),
    ...others,
  }
  return {
    model,
    messages: request.messages,
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 &&
      request.toolChoice !== undefined && { tool_choice: request.toolChoice }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
    stream: isStreamed,
  }
}

function toTool({ name, description, inputSchema }: ToolSchema): JsonObject {
  // Several servers reject `$schema`.
  const { $schema: _, ...parameters } = inputSchema
  return { type: 'function', function: { name, description, parameters } }
}
