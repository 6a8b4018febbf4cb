import { createDemo } from './tools/demo-command.ts'

const thinking = [
  'The question I set myself: how many squares are there on a chessboard? The quick answer is 64, but that counts only the small ones. Larger squares, made of several fields, are squares too.',
  '',
  'Let me count by size. A square of side 1 fits in 8 × 8 = 64 places. One of side 2 can start in any of the first 7 columns and 7 rows, so 49. Side 3 gives 36, side 4 gives 25, then 16, 9, 4, and the whole board is 1.',
  '',
  '64 + 49 = 113. 113 + 36 = 149. 149 + 25 = 174. 174 + 16 = 190. 190 + 9 = 199. 199 + 4 = 203. 203 + 1 = 204.',
  '',
  'A check with the formula for the sum of squares, n(n + 1)(2n + 1) / 6: 8 × 9 × 17 / 6 = 1224 / 6 = 204. Both ways agree.',
].join('\n')

const answer = [
  'I set myself a small puzzle: *how many squares are there on a chessboard?*',
  '',
  '**204.** There are 64 of side 1, 49 of side 2, 36 of side 3, and so on down to the board itself: 64 + 49 + 36 + 25 + 16 + 9 + 4 + 1.',
  '',
  'What I thought before I answered came as a block of its own, so a page can fold it away. It also came with a signature, which the agent keeps and hands back with the next request, byte for byte: the API refuses thinking that was changed on the way.',
].join('\n')

/** Reasoning before the answer. */
export const demoThinking = createDemo('thinking', {
  summary: 'A puzzle, thought through before it is answered',
  reply: () => ({
    blocks: [
      { type: 'thinking', thinking },
      { type: 'text', text: answer },
    ],
  }),
})
