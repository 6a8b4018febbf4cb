import type { MessageCreateParamsStreaming as BetaParams } from '@anthropic-ai/sdk/resources/beta/messages'
import type { MessageCreateParamsStreaming, ToolUnion } from '@anthropic-ai/sdk/resources/messages'

import type { ModelRequest, ToolSchema } from '../events/index.ts'
import { withoutForeign } from './without-foreign.ts'

/** What the library says itself in every request. */
type OwnParam = 'model' | 'messages' | 'stream' | 'betas'

/** Parameters of the Messages API that go with every request: `thinking`, `tool_choice`, server tools and so on. */
export type ExtraParams = Partial<
  Omit<MessageCreateParamsStreaming, OwnParam> | Omit<BetaParams, OwnParam>
>

/** The body of a request; tools of `extra` are offered after those of the request. */
export function toMessageParams(
  modelId: string,
  request: ModelRequest,
  extra: ExtraParams,
): MessageCreateParamsStreaming {
  const { messages, system, tools = [], maxTokens, toolChoice, container } = request
  const offered = [...tools.map(toTool), ...(extra.tools ?? [])]
  const params = {
    max_tokens: maxTokens,
    ...(system === undefined ? {} : { system }),
    ...extra,
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(toolChoice === undefined || offered.length === 0
      ? {}
      : { tool_choice: { type: toolChoice } }),
    ...(container === undefined ? {} : { container: toContainer(container, extra) }),
    model: modelId,
    messages: withoutForeign(messages),
    stream: true,
  }
  // The type knows neither beta parameters nor new blocks, which go back exactly as they came.
  return params as unknown as MessageCreateParamsStreaming
}

function toTool({ name, description, inputSchema }: ToolSchema): ToolUnion {
  return { name, description, input_schema: { ...inputSchema, type: 'object' } }
}

/** The container that is known by now, with the skills that go into it. */
function toContainer(id: string, { container: given }: ExtraParams): object | string {
  return typeof given === 'object' && given !== null ? { ...given, id } : id
}
