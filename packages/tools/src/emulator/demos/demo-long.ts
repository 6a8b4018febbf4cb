import { createDemo } from './tools/demo-command.ts'
import type { Pace } from '../pace.ts'

const defaultCount = 5000
/** 25,000 deltas take 25 seconds: enough time to reload the page in the middle. */
const suggestedCount = 25_000
const maxCount = 100_000

const pace: Pace = { tokensPerSecond: 1000, firstTokenMs: 100, jitter: 0 }

/** A long answer that counts its own deltas, so that a missing or repeated delta is visible. */
export const demoLong = {
  ...createDemo('long', {
    summary: 'A long answer that counts: reload in the middle and look for a missing number',
    read: (rest) => ({ count: readCount(rest) }),
    reply: ({ args }) => ({
      blocks: [{ type: 'text', text: Array.from({ length: Number(args['count']) }, toPiece) }],
      maxTokens: Infinity,
    }),
  }),
  pace,
  prompt: `/demo long ${suggestedCount}`,
}

function toPiece(_: unknown, index: number): string {
  if (index === 0) return '1'
  return index % 100 === 0 ? `\n\n${index + 1}` : ` ${index + 1}`
}

function readCount(rest: string): number {
  const count = Number.parseInt(rest.replace(/[,_]/g, ''), 10)
  return Number.isNaN(count) ? defaultCount : Math.min(Math.max(count, 1), maxCount)
}
