import { closesFence } from './split-markdown.ts'

/** A fenced code block. */
export interface Fence {
  /** Language in lower case. */
  readonly language: string
  readonly code: string
}

/** Splits a fenced block; a growing one has no closing line. */
export function splitFence(text: string): Fence {
  const firstEnd = text.indexOf('\n')
  if (firstEnd < 0) return { language: languageOf(text), code: '' }
  const opener = text.slice(0, firstEnd)
  const fence = /[`~]+/.exec(opener)?.[0] ?? '```'
  const body = text.slice(firstEnd + 1).replace(/\n$/, '')
  const lastStart = body.lastIndexOf('\n') + 1
  const closed = closesFence(body.slice(lastStart), fence)
  return {
    language: languageOf(opener),
    code: closed ? body.slice(0, Math.max(0, lastStart - 1)) : body,
  }
}

function languageOf(opener: string): string {
  return /^\s*[`~]+\s*([\w+#.-]*)/.exec(opener)?.[1]?.toLowerCase() ?? ''
}
