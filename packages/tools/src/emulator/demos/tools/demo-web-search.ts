import type { JsonObject } from 'millrace'
import type { ScriptedCitation } from '../../replies/scripted-reply.ts'
import { createDemo } from './demo-command.ts'

/** Made-up pages, at an address reserved for examples. */
const pages = [
  {
    url: 'https://example.com/wheels/overshot',
    title: 'The overshot wheel – example.com',
    page_age: 'March 3, 2026',
  },
  {
    url: 'https://example.com/wheels/undershot',
    title: 'The undershot wheel – example.com',
    page_age: 'June 18, 2025',
  },
  {
    url: 'https://example.org/museum/mills',
    title: 'A short history of mills – example.org',
    page_age: null,
  },
]

function toResult(page: (typeof pages)[number], index: number): JsonObject {
  return { type: 'web_search_result', ...page, encrypted_content: `RW11TC1wYWdl${index}` }
}

function cite(index: number, citedText: string): ScriptedCitation {
  const { url, title } = pages[index] ?? { url: '', title: '' }
  return {
    type: 'web_search_result_location',
    cited_text: citedText,
    url,
    title,
    encrypted_index: `RW11TC1pbmRleA${index}`,
  }
}

/** A web search by the provider, and an answer that cites its results. */
export const demoWebSearch = createDemo('web-search', {
  summary: 'A search by the provider, and an answer with links to its results',
  reply: () => ({
    blocks: [
      {
        type: 'text',
        text: 'Which is better, a wheel that the water pours onto or one that it pushes from below? Let me search.',
      },
      {
        type: 'server_tool_use',
        name: 'web_search',
        input: { query: 'overshot or undershot water wheel efficiency' },
      },
      { type: 'web_search_tool_result', content: pages.map(toResult), waitMs: 1500 },
      {
        type: 'text',
        text: 'An **overshot** wheel uses most of what the water has to give, about four fifths of it',
        citations: [
          cite(0, 'A well-built overshot wheel turns some 80 percent of the fall into work.'),
        ],
      },
      {
        type: 'text',
        text: ', while an **undershot** wheel seldom gets beyond a third.',
        citations: [
          cite(
            1,
            'Pushed from below, the wheel loses two thirds of the stream to splash and swirl.',
          ),
        ],
      },
      { type: 'text', text: ' ' },
      {
        type: 'text',
        text: 'But it needs no fall, which is why there are so many of them in flat country.',
        citations: [
          cite(1, 'It runs wherever water runs, and asks for no height.'),
          cite(2, 'In the plains, nine mills out of ten were undershot.'),
        ],
      },
      {
        type: 'text',
        text: '\n\nNo page was actually read: the search, its pages and their content are part of the script. The frames are those of a real search, including the encrypted parts that are returned with the next request.',
      },
    ],
  }),
})
