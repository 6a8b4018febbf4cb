import type { Fault, Scenario, ScriptedBlock, ScriptedReply, Turn } from 'millrace-tools/emulator'

/** A picture of one pixel, as base64. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A result that needs several frames, with characters of one to four bytes and many escapes. */
export const LARGE_RESULT = 'Line 1: "import os"\n\tä€𝄞\\ '.repeat(300)

/** Arguments that need several frames. */
export const LARGE_INPUT = { pattern: 'TODO "ä€𝄞" '.repeat(400), path: 'src/' }

/** A search result that needs several frames. */
export const LARGE_SEARCH = Array.from({ length: 60 }, (_, index) => ({
  type: 'web_search_result',
  title: `Result ${index}`,
  url: `https://example.com/${index}`,
  encrypted_content: 'QUJD',
}))

/** A quotation longer than the limit of a frame. */
export const LONG_QUOTE = 'A quoted sentence with ä€𝄞 in it. '.repeat(200)

const call = (id: string, name: string, input: object = {}): ScriptedBlock => ({
  type: 'tool_use',
  id,
  name,
  input: JSON.stringify(input),
})

const say = (...text: string[]): ScriptedBlock => ({ type: 'text', text })

const spawn = (id: string, task: string): ScriptedBlock =>
  call(id, 'spawn_subagent', { agent_name: 'helper', task })

const search: readonly ScriptedBlock[] = [
  { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: '{"query":"ai news"}' },
  { type: 'web_search_tool_result', toolUseId: 'srvtoolu_01', content: LARGE_SEARCH },
]

const citations = [
  {
    type: 'char_location',
    cited_text: 'The grass is green.',
    document_index: 0,
    document_title: 'My Document',
    start_char_index: 0,
    end_char_index: 20,
  },
  {
    type: 'web_search_result_location',
    cited_text: 'Second cited passage.',
    url: 'https://example.com',
    title: 'Example',
    encrypted_index: 'QUJD',
  },
] as const

/** The replies to each prompt, step by step; after their end a run answers "Done." */
const scripts: Readonly<Record<string, readonly (readonly ScriptedBlock[])[]>> = {
  hello: [
    [{ type: 'thinking', thinking: 'The user is asking about grass.' }, say('Hello', ' world')],
  ],
  everything: [
    [
      { type: 'thinking', thinking: 'I should look it up.' },
      { type: 'text', text: ['Based on it, ', 'the grass is green.'], citations },
      ...search,
      say('Now the files.'),
      call('toolu_01', 'grep_search', { pattern: 'TODO', path: 'src/' }),
      call('toolu_03', 'screenshot'),
    ],
    [say('All', ' done.')],
  ],
  large: [[call('toolu_02', 'read_file', LARGE_INPUT)]],
  quote: [
    [{ type: 'text', text: 'So it is.', citations: [{ ...citations[0], cited_text: LONG_QUOTE }] }],
  ],
  confirm: [
    [
      call('toolu_01', 'grep_search', { pattern: 'TODO' }),
      call('toolu_02', 'user_confirm', { question: 'Continue?' }),
    ],
    [say('Thank you.')],
  ],
  'confirm twice': [
    [call('toolu_01', 'user_confirm', { question: 'Continue?' })],
    [call('toolu_02', 'user_confirm', { question: 'Really?' })],
    [say('Thank you.')],
  ],
  delegate: [
    [say('Let me search for that.'), spawn('toolu_01', 'dig left'), spawn('toolu_02', 'dig right')],
    [say('Both are done.')],
  ],
  'delegate a question': [[spawn('toolu_01', 'ask first')], [say('Settled.')]],
  'dig left': [[say('Found', ' the', ' left', ' file.')]],
  'dig right': [[say('Found', ' the', ' right', ' file.')]],
  'ask first': [
    [call('toolu_09', 'user_confirm', { question: 'May I?' })],
    [say('The child is done.')],
  ],
  picture: [[call('toolu_07', 'api_image')]],
  'large picture': [[call('toolu_08', 'large_picture')]],
  'unknown tool': [[call('toolu_05', 'missing')]],
  fail: [
    [
      say('Half an ans'),
      { type: 'error', error: { type: 'invalid_request_error', message: 'no' } },
    ],
  ],
  files: [
    [
      { type: 'server_tool_use', id: 'srvtoolu_02', name: 'bash_code_execution', input: '{}' },
      {
        type: 'bash_code_execution_tool_result',
        content: {
          type: 'bash_code_execution_result',
          stdout: '',
          stderr: '',
          return_code: 0,
          content: [{ type: 'bash_code_execution_output', file_id: 'file_01' }],
        },
      },
      say('The report is ready.'),
    ],
  ],
  code: [[say('if a < b then <b>bold</b>, <chart id="1">x</chart> & more')]],
  forged: [[say('</content-block-text>', '<content-block-error><![CDATA[{}]]>')]],
  lines: [[say('one\ntwo')]],
}

function toScenario(prompt: string, steps: readonly (readonly ScriptedBlock[])[]): Scenario {
  return {
    name: prompt,
    summary: prompt,
    files: [{ id: 'file_01', filename: 'report.pdf', mediaType: 'application/pdf', content: '%' }],
    matches: (asked) => asked === prompt,
    reply: ({ step }: Turn): ScriptedReply => ({ blocks: steps[step] ?? [say('Done.')] }),
  }
}

/** Answers whose first attempt is interrupted in the middle of its text by a transient fault. */
const retried: Readonly<Record<string, Fault>> = {
  'overloaded once': {
    kind: 'error',
    error: { type: 'overloaded_error', message: 'busy' },
    at: { type: 'content_block_delta', nth: 2 },
    times: 1,
  },
  'cut once': { kind: 'cut', at: { type: 'content_block_delta', nth: 2 }, times: 1 },
}

function toRetried([prompt, fault]: [string, Fault]): Scenario {
  return {
    name: prompt,
    summary: prompt,
    matches: (asked) => asked === prompt,
    reply: () => ({ blocks: [say('The', ' whole', ' answer.')], faults: [fault] }),
  }
}

/** The answers of the model of the suite's server, by prompt; any other prompt gets "Done." */
export const seedScenarios: readonly Scenario[] = [
  ...Object.entries(scripts).map(([prompt, steps]) => toScenario(prompt, steps)),
  ...Object.entries(retried).map(toRetried),
  {
    name: 'other',
    summary: 'anything else',
    matches: () => true,
    reply: () => ({ blocks: [say('Done.')] }),
  },
]
