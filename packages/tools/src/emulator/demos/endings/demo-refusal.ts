import { createDemo } from '../tools/demo-command.ts'

const text = [
  'Sometimes a model begins to answer and the provider stops it, because of the question or of the answer. There is nothing wrong with your question; this is a demo.',
  '',
  'The answer then ends at that point, in the middle of a',
].join('\n')

/** An answer that ends with a refusal. */
export const demoRefusal = createDemo('refusal', {
  summary: 'An answer that the provider stops in the middle',
  reply: () => ({
    blocks: [{ type: 'text', text, unfinished: true }],
    stopReason: 'refusal',
    stopDetails: {
      type: 'refusal',
      category: null,
      explanation: 'This is a demo of a refusal; nothing was wrong with the question.',
    },
  }),
})
