import type { Attributes } from '@opentelemetry/api'
import type { RunInfo, SpanInfos, SpanOutcome, WorkKind } from '../events/index.ts'
import { createContentBudget } from './content-budget.ts'
import { writeMessages, writeParts } from './message-parts.ts'

/** Span attributes with content; recorded only with `captureContent`. */
export interface ContentAttributes {
  ofRun(info: RunInfo): Attributes
  ofStart<Kind extends WorkKind>(kind: Kind, info: SpanInfos[Kind]): Attributes
  ofEnd(kind: WorkKind | 'run', outcome: SpanOutcome): Attributes
}

/** Content attributes that record nothing. */
export const noContent: ContentAttributes = {
  ofRun: () => ({}),
  ofStart: () => ({}),
  ofEnd: () => ({}),
}

/** Creates content attributes that record prompts, answers, arguments and results, each up to a limit. */
export function createContentAttributes(maxChars: number): ContentAttributes {
  const budget = () => createContentBudget(maxChars)
  const starts: { readonly [Kind in WorkKind]: (info: SpanInfos[Kind]) => Attributes } = {
    step: () => ({}),
    model: ({ request: { messages, system } }) => ({
      'gen_ai.input.messages': JSON.stringify(writeMessages(messages, budget())),
      ...(typeof system === 'string' && {
        'gen_ai.system_instructions': JSON.stringify([textPart(budget().take(system))]),
      }),
    }),
    tool: ({ inputText }) =>
      inputText === undefined ? {} : { 'gen_ai.tool.call.arguments': budget().take(inputText) },
  }
  return {
    ofRun: ({ prompt }) => {
      if (prompt === undefined) return {}
      const content = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt
      const messages = writeMessages([{ role: 'user', content }], budget())
      return { 'gen_ai.input.messages': JSON.stringify(messages) }
    },
    ofStart: (kind, info) => starts[kind](info),
    ofEnd: (kind, { text, content, stopReason }) => {
      if (kind === 'tool') return text === undefined ? {} : resultOf(budget().take(text))
      const parts = content === undefined ? [] : writeParts(content, budget())
      if (text !== undefined) parts.push(textPart(budget().take(text)))
      return parts.length === 0 ? {} : answerOf(parts, stopReason)
    },
  }
}

function textPart(content: string) {
  return { type: 'text', content }
}

function resultOf(text: string): Attributes {
  return { 'gen_ai.tool.call.result': text }
}

function answerOf(parts: readonly object[], stopReason: string | null | undefined): Attributes {
  const message = { role: 'assistant', parts, ...(stopReason && { finish_reason: stopReason }) }
  return { 'gen_ai.output.messages': JSON.stringify([message]) }
}
