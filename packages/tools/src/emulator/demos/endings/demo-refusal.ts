import { createDemo } from '../tools/demo-command.ts'

const text = [
  'Sometimes a model begins to answer and the provider stops it, because of what was asked or of what is being said. There is nothing wrong with your question; this is a demo.',
  '',
  'The answer then ends where it is, in the middle of a',
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
