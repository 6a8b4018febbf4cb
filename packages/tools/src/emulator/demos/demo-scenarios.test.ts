import { describe, expect, test } from 'vitest'
import type { JsonObject } from 'millrace'
import { demoPrompts, demoScenarios } from './demo-scenarios.ts'
import type { ToolOutcome, Turn } from '../replies/scenario.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'

const offered = new Set([
  'get_weather',
  'get_time',
  'draw_chart',
  'write_file',
  'read_file',
  'patch_file',
  'spawn_subagent',
  'user_confirm',
])

function reply(prompt: string, turn: Partial<Turn> = {}): { name: string; reply: ScriptedReply } {
  for (const scenario of demoScenarios) {
    const match = scenario.matches(prompt)
    if (match === false) continue
    const args = match === true ? {} : match
    const nothing = { step: 0, attempt: 0, results: [], messages: [] }
    const whole = { ...nothing, prompt, args, tools: offered, ...turn }
    return { name: scenario.name, reply: scenario.reply(whole) }
  }
  throw new Error('No scenario matches.')
}

function textOf({ blocks }: ScriptedReply): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text].flat() : [])).join('')
}

function outcome(name: string, text: string, isError = false): ToolOutcome {
  return { id: 't', name, input: {}, text, images: 0, isError }
}

function answered(text: string, isError = false): string {
  const results = [outcome('user_confirm', text, isError)]
  return textOf(reply('/demo frontend', { step: 1, results }).reply)
}

const all = [
  'text',
  'thinking',
  'citations',
  'tools',
  'parallel-tools',
  'frontend',
  'approval',
  'patch',
  'deception',
  'subagents',
  'images',
  'files',
  'web-search',
  'code-execution',
  'mcp',
  'write-file',
  'long',
  'max-tokens',
  'refusal',
  'pause-turn',
  'error',
  'overloaded',
  'cut',
]

test('lists every demo', () => {
  const names = demoPrompts.map(({ prompt }) => prompt.split(' ')[1])
  expect(new Set(names)).toEqual(new Set(all))
})

test('every suggested prompt selects its own demo, and the welcome lists all of them', () => {
  const welcome = textOf(reply('What can you do?').reply)
  for (const { prompt, summary } of demoPrompts) {
    expect(reply(prompt).name).toBe(prompt.split(' ')[1])
    expect(welcome).toContain(prompt)
    expect(welcome).toContain(summary)
  }
})

test.each(['/demo', '/demo nothing', 'tell me of /demo text', '/demo texts', ''])(
  '%j gets the welcome',
  (prompt) => expect(reply(prompt).name).toBe('welcome'),
)

test('reports an unknown demo by name and lists the demos', () => {
  const text = textOf(reply('/demo nosuch 7').reply)
  expect(text).toMatch(/^There is no demo `nosuch`\./)
  for (const { prompt } of demoPrompts) expect(text).toContain(prompt)
  for (const prompt of ['/demo', '/demo `#', 'hello']) {
    expect(textOf(reply(prompt).reply)).toMatch(/^Hello!/)
  }
})

test('accepts commands in upper case and with extra spaces', () => {
  expect(reply('/DEMO   Text').name).toBe('text')
})

test('text shows a heading, a list, code and a table', () => {
  const text = textOf(reply('/demo text').reply)
  for (const mark of ['## ', '\n1. ', '\n- ', '```json', '| --- |']) expect(text).toContain(mark)
})

test('tools asks for the city of the prompt', () => {
  const { blocks } = reply('/demo tools São Paulo').reply
  expect(blocks.slice(1)).toEqual([
    { type: 'tool_use', name: 'get_weather', input: { city: 'São Paulo' } },
    { type: 'tool_use', name: 'get_time', input: { city: 'São Paulo' } },
  ])
})

test('tools reports a failed tool', () => {
  const results = [outcome('get_weather', 'No such city', true)]
  const text = textOf(reply('/demo tools Atlantis', { step: 1, results }).reply)
  expect(text).toContain('No such city')
  expect(text).toContain('no result.')
})

test('demos that call tools continue whether their tools succeeded or failed', () => {
  for (const prompt of ['tools', 'parallel-tools', 'write-file', 'images', 'subagents', 'files']) {
    const { blocks } = reply(`/demo ${prompt}`).reply
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
    for (const isError of [false, true]) {
      const results = calls.map((name) => ({ ...outcome(name, 'so and so', isError), images: 1 }))
      const next = reply(`/demo ${prompt}`, { step: 1, results }).reply
      expect(next.blocks.map(({ type }) => type)).toEqual(['text'])
    }
    expect(textOf(reply(`/demo ${prompt}`, { step: 1 }).reply)).toMatch(/\S/)
  }
})

describe('approval continues according to the decision', () => {
  const decided = (text: string, isError = false) => {
    const results = [outcome('write_file', text, isError)]
    return reply('/demo approval', { step: 1, results }).reply
  }
  const concluded = (text: string) => {
    const results = [outcome('write_file', text), outcome('read_file', '1\t# Water')]
    return textOf(reply('/demo approval', { step: 2, results }).reply)
  }

  test('reads the file back from the path that was actually written', () => {
    const { blocks } = decided('The user changed …\nCreated a/b.md: 2 lines, 9 bytes.')
    expect(blocks.at(-1)).toMatchObject({ name: 'read_file', input: { path: 'a/b.md' } })
    expect(decided('as another tool would say it').blocks.at(-1)).toMatchObject({
      input: { path: 'reports/october.md' },
    })
  })

  test('distinguishes approved, changed and denied', () => {
    expect(concluded('Created x: 1 lines, 2 bytes.')).toContain('**Saved**, exactly as you saw it')
    expect(concluded('The user changed the arguments …')).toContain('**Saved, with your changes.**')
    const refusal = 'The user refused this call; it was not run.'
    expect(textOf(decided(refusal, true))).toContain('You denied it, so nothing was written')
    expect(textOf(decided(`${refusal} Their reason: Too\nearly.`, true))).toContain(
      '> Too\n> early.',
    )
    expect(textOf(decided('The disk is full.', true))).toContain('> The disk is full.')
  })
})

describe('patch', () => {
  const after = (...results: ToolOutcome[]) =>
    reply('/demo patch', { step: results.length, results }).reply

  test('writes a draft, then changes it with a diff', () => {
    expect(after().blocks.at(-1)).toMatchObject({ name: 'write_file' })
    const [, change] = after(outcome('write_file', 'Created')).blocks
    expect(change).toMatchObject({ name: 'patch_file', input: { path: 'drafts/gate-rules.md' } })
  })

  test('the last answer reports the outcome', () => {
    const end = (text: string, isError = false) =>
      textOf(after(outcome('write_file', 'Created'), outcome('patch_file', text, isError)))
    expect(end('Patched x: 1 hunk.')).toContain('**Changed.** Patched x: 1 hunk.')
    expect(end('The user refused this call.', true)).toContain('**Not changed.**')
    expect(end('The user refused this call.', true)).toContain('> The user refused this call.')
    expect(textOf(after(outcome('write_file', 'Full.', true)))).toContain('> Full.')
  })
})

describe('subagents', () => {
  const { blocks } = reply('/demo subagents').reply
  const tasks = blocks.flatMap((block) =>
    block.type === 'tool_use' && typeof block.input === 'object' ? [block.input] : [],
  )

  test('each task selects the scenario of its own agent, never the welcome', () => {
    const names = tasks.map((input) => reply(String(Reflect.get(input, 'task'))).name)
    expect(names).toEqual(tasks.map((input) => Reflect.get(input, 'agent_name')))
  })

  test('removes the text that the tool adds for the model', () => {
    const text =
      'Answer of the agent "historian":\nAgent UUID: u-1\nHanna.\n[stop_reason=end_turn, steps=2]'
    const results = [{ ...outcome('spawn_subagent', text), input: { agent_name: 'historian' } }]
    const said = textOf(reply('/demo subagents', { step: 1, results }).reply)
    expect(said).toContain('- **The historian:** Hanna.\n')
  })

  test('the historian quotes private text only if that was approved', () => {
    const [task = ''] = tasks.map((input) => String(Reflect.get(input, 'task')))
    const said = (text: string, isError = false) =>
      textOf(reply(task, { step: 2, results: [outcome('user_confirm', text, isError)] }).reply)
    expect(said('yes')).toContain('1791')
    expect(said('no')).toContain('leave closed')
    expect(said('yes', true)).toContain('leave closed')
  })
})

test('citations are of all five kinds', () => {
  const { blocks } = reply('/demo citations').reply
  const kinds = blocks.flatMap((block) =>
    block.type === 'text' ? (block.citations ?? []).map(({ type }) => type) : [],
  )
  expect(new Set(kinds).size).toBe(5)
})

test('overloaded and cut fail only on the first attempt, error on every attempt', () => {
  const breaks = (name: string, attempt: number) => {
    const { blocks, faults = [] } = reply(`/demo ${name}`, { attempt }).reply
    return faults.length > 0 || blocks.some(({ type }) => type === 'error')
  }
  expect(['overloaded', 'cut', 'error'].map((name) => breaks(name, 0))).toEqual([true, true, true])
  expect(['overloaded', 'cut', 'error'].map((name) => breaks(name, 1))).toEqual([
    false,
    false,
    true,
  ])
})

test('demos that need tools report missing tools', () => {
  const calls = ({ reply: { blocks } }: ReturnType<typeof reply>) =>
    blocks.some(({ type }) => type === 'tool_use')
  // The answer about a generated file does not need a tool that reads the file.
  const without = reply('/demo files', { tools: new Set() })
  expect(calls(without)).toBe(false)
  expect(textOf(without.reply)).toContain('is ready')
  const withTools = demoPrompts.filter(
    ({ prompt }) => prompt !== '/demo files' && calls(reply(prompt)),
  )
  expect(withTools.length).toBeGreaterThan(7)
  for (const { prompt } of withTools) {
    const { blocks } = reply(prompt, { tools: new Set() }).reply
    expect(blocks.map(({ type }) => type)).toEqual(['text'])
    expect(textOf({ blocks })).toContain('does not offer')
  }
})

describe('frontend continues according to the answer', () => {
  test.each(['yes', ' Yes ', 'true', '"yes"', '{"answer":"yes"}', '{"confirmed":true}', 'ok'])(
    'reads %s as yes',
    (text) => expect(answered(text)).toContain('**Sent.**'),
  )

  test.each(['no', 'NO', 'false', '{"answer":"no"}', '{"confirmed":false}'])(
    'reads %s as no',
    (text) => expect(answered(text)).toContain('**Not sent.**'),
  )

  test('quotes any other answer', () => {
    expect(answered('Tomorrow,\nplease')).toContain('> Tomorrow,\n> please')
  })

  test('reports a page that could not ask', () => {
    expect(answered('closed', true)).toContain('could not ask')
  })
})

describe('long', () => {
  const count = (prompt: string) => {
    const [block] = reply(prompt).reply.blocks
    return block?.type === 'text' ? block.text.length : 0
  }

  test('has the requested number of deltas, 5000 by default and 100000 at most', () => {
    expect(count('/demo long 7')).toBe(7)
    expect(count('/demo long 1,000')).toBe(1000)
    expect(count('/demo long')).toBe(5000)
    expect(count('/demo long many')).toBe(5000)
    expect(count('/demo long -3')).toBe(1)
    expect(count('/demo long 9999999')).toBe(100_000)
  })

  test('counts without a gap', () => {
    const numbers = textOf(reply('/demo long 250').reply).split(/\s+/).map(Number)
    expect(numbers).toEqual(Array.from({ length: 250 }, (_, index) => index + 1))
  })
})

describe('the welcome', () => {
  const welcome = (...content: JsonObject[]) =>
    textOf(reply('What is this?', { messages: [{ role: 'user', content }] }).reply)
  const question = { type: 'text', text: 'What is this?' }

  test('names the emulator first, and explains how to use a real model', () => {
    const [hello, real] = welcome(question).split('\n\n')
    expect(hello).toContain('scripted stand-in')
    expect(real).toContain('`ANTHROPIC_API_KEY`')
    expect(welcome(question)).not.toContain('I received your files')
  })

  test('lists the files of the prompt, as far as they are known', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    }
    const text = { type: 'text', media_type: 'text/plain', data: 'ü'.repeat(600) }
    const notes = { type: 'document', title: '[notes](http://x)\n.md', source: text }
    const far = { type: 'document', source: { type: 'url', url: 'https://a.example' } }
    const said = welcome(image, notes, far, question)
    expect(said).toContain('- an image (PNG, 3 bytes)\n')
    expect(said).toContain(
      String.raw`- “\[notes\](http://x) .md”, a document (plain text, 1.2 kB)` + '\n',
    )
    expect(said).toContain('- a document\n')
    const many = welcome(...Array.from({ length: 14 }, () => image), question)
    expect(many.match(/- an image/g)).toHaveLength(10)
    expect(many).toContain('- and 4 more\n')
  })

  test('ignores the files of an earlier prompt', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a.example' } }
    expect(welcome(image, { type: 'text', text: 'And this?' }, question)).not.toContain('an image')
  })
})

test('answers sensibly after tools that it did not call', () => {
  const text = textOf(reply('Hi', { step: 1, results: [outcome('search', 'x')] }).reply)
  expect(text).toContain('`search`')
})
