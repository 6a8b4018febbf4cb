import type { ScriptedCitation, ScriptedText } from '../replies/scripted-reply.ts'
import { createDemo } from './tools/demo-command.ts'

/** Made-up sources, each with a different kind of location. */
const handbook = { document_index: 0, document_title: 'The Miller’s Handbook', file_id: null }
const survey = {
  document_index: 1,
  document_title: 'Survey of the Lower Brook, 1911',
  file_id: null,
}
const diary = { document_index: 2, document_title: 'Diary of a Mill', file_id: null }

function cited(text: string, ...citations: ScriptedCitation[]): ScriptedText {
  return { type: 'text', text, citations }
}

const blocks: readonly ScriptedText[] = [
  {
    type: 'text',
    text: 'Why does a mill need a race at all, when there is a river beside it? I have read five sources, all of them invented for this demo.\n\n',
  },
  cited(
    'A river rises and falls, and a wheel wants the same water every day: the race takes what the wheel needs and leaves the rest.',
    {
      type: 'char_location',
      cited_text:
        'The race takes its share from the river, never more, never less, and the wheel turns as if there were no seasons.',
      ...handbook,
      start_char_index: 1840,
      end_char_index: 1953,
    },
  ),
  cited(
    ' It also keeps the height: on the Lower Brook the water was led eight hundred metres along the slope so that it fell four metres at once.',
    {
      type: 'page_location',
      cited_text: 'Length of the channel 812 m, fall at the wheel 4.1 m.',
      ...survey,
      start_page_number: 14,
      end_page_number: 15,
    },
  ),
  { type: 'text', text: '\n\nIt has to be looked after. ' },
  cited(
    'A leaf at the grating is nothing, but a night of leaves stops the wheel.',
    {
      type: 'content_block_location',
      cited_text: '12 November. Stood still from four in the morning. Leaves.',
      ...diary,
      start_block_index: 45,
      end_block_index: 46,
    },
    {
      type: 'search_result_location',
      cited_text: 'Autumn: clear the grating every two hours, at night as well.',
      search_result_index: 0,
      source: 'archive/ledgers/4',
      title: 'Ledger no. 4, duties of the apprentice',
      start_block_index: 2,
      end_block_index: 3,
    },
  ),
  cited(
    ' And it can be shut, which a river cannot: with the gate down, the wheel is repaired in the dry.',
    {
      type: 'web_search_result_location',
      cited_text:
        'With the sluice closed the pit drains within the hour, and work on the wheel can begin.',
      url: 'https://example.com/mills/sluices',
      title: 'Sluices and how to close them',
      encrypted_index: 'RW11TC1kZW1vLWluZGV4',
    },
  ),
  {
    type: 'text',
    text: '\n\nEach sentence came with the passage that supports it, in one of the five ways in which the API points at sources: characters, pages, blocks, search results, web pages. The API sends a citation *before* the text that it belongs to; it is shown after it.',
  },
]

/** Text with citations of all five kinds. */
export const demoCitations = createDemo('citations', {
  summary: 'Sentences with the passages that support them, of all five kinds',
  reply: () => ({ blocks }),
})
