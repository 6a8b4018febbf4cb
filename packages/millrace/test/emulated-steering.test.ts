import { describe, expect, test } from 'vitest'
import { type AgentOptions, createAgent } from '../src/agent/create-agent.ts'
import { defineFrontendTool } from '../src/tools/define-tool.ts'
import type { RunInput } from '../src/agent/agent.ts'
import { anthropic } from '../src/models/anthropic/anthropic.ts'
import { createEmulator, type EmulatorOptions } from 'millrace-tools/emulator'
import type { AgentEvent, Message } from '../src/events/index.ts'
import { anything, collectRun, createGate, tool } from './support/agents/agent-harness.ts'

/** Each frame is sent separately, so that a test can act in the middle of a sentence on a busy machine too. */
const pace = { tokensPerSecond: 500, firstTokenMs: 1, catchUp: false }

const confirm = defineFrontendTool({ name: 'user_confirm', description: '', input: anything })

const acknowledged = (words: string): string =>
  `You wrote “${words}”. A model would act on that; I follow a script and continue.`

function setUp(options: Partial<AgentOptions> = {}, emulator: EmulatorOptions = {}) {
  const { fetch } = createEmulator({ pace: 'instant', seed: 'steer', ...emulator })
  const model = anthropic('emulator', { apiKey: 'any', maxRetries: 0, fetch })
  return { model, agent: createAgent({ name: 'tester', model, retryDelayMs: 1, ...options }) }
}

const isDelta = (item: AgentEvent | { type: 'checkpoint' }, words: string): boolean =>
  item.type === 'block_delta' && item.text.includes(words)

/** The complete output of the model. */
const saidIn = (messages: readonly Message[]): string =>
  messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content)
    .map(({ type, text }) => (type === 'text' ? String(text) : ''))
    .join('')

const callsIn = (messages: readonly Message[]): unknown[] =>
  messages.flatMap(({ content }) =>
    content.flatMap(({ type, name }) => (type === 'tool_use' ? [name] : [])),
  )

/** Runs an agent and calls a function once, at the first event of which `isTime` is true. */
async function meet(
  { agent }: ReturnType<typeof setUp>,
  input: RunInput,
  isTime: (item: AgentEvent | { type: 'checkpoint' }) => boolean,
  act: (run: ReturnType<typeof agent.run>) => void,
) {
  const run = agent.run(input)
  let isDone = false
  const { state, events } = await collectRun(run, (item) => {
    if (isDone || !isTime(item)) return
    isDone = true
    act(run)
  })
  return { state, events, said: saidIn(state.messages) }
}

/** The tools of the weather, which answer when they are released. */
function gated() {
  const gate = createGate()
  const answer = (fields: object) => () => gate.passed.then(() => ({ ...fields }))
  const tools = [
    tool('get_weather', answer({ temperature: '21 °C', sky: 'clear' })),
    tool('get_time', answer({ time: 'noon' })),
  ]
  return { gate, tools }
}

/** Runs a demo that calls the weather tool, and sends it a message while its tools run. */
async function sayWhileToolsRun(prompt: string, ...words: readonly string[]): Promise<string> {
  const { gate, tools } = gated()
  const { said } = await meet(
    setUp({ tools }),
    { prompt },
    ({ type }) => type === 'tool_status',
    (run) => {
      for (const each of words) run.steer(each)
      gate.open()
    },
  )
  return said
}

describe('messages to an active demo', () => {
  test('during its tools are acknowledged and change nothing else', async () => {
    const said = await sayWhileToolsRun('/demo parallel-tools', 'Only Lisbon,\nplease')
    expect(said).toContain(`${acknowledged('Only Lisbon, please')}\n\n| city |`)
    expect(said).toContain('| Tokyo | 21 °C | clear | noon |')
  })

  test('are acknowledged together', async () => {
    const said = await sayWhileToolsRun('/demo tools', 'One', 'Two')
    expect(said).toContain('You wrote “One” and “Two”. A model')
    expect(said).toContain('Here is Lisbon right now')
  })

  test('in the middle of a text do not restart it, any number of times', async () => {
    const own = setUp({}, { pace })
    const due = [' 40', ' 90']
    const run = own.agent.run({ prompt: '/demo long 150' })
    const { state } = await collectRun(run, (item) => {
      if (due[0] !== undefined && isDelta(item, due[0])) run.steer(`Faster after${due.shift()}`)
    })
    const said = saidIn(state.messages)
    for (const words of ['Faster after 40', 'Faster after 90'])
      expect(said).toContain(acknowledged(words))
    const numbers = said.replaceAll(/You wrote .*continue\./g, '').match(/\d+/g)
    expect(numbers?.map(Number)).toEqual(Array.from({ length: 150 }, (_, index) => index + 1))
  })

  test('in the middle of a paragraph cause its repetition, and of nothing before it', async () => {
    const { said } = await meet(
      setUp({}, { pace: { ...pace, tokensPerSecond: 2000 } }),
      { prompt: '/demo text' },
      (item) => isDelta(item, 'browser'),
      (run) => run.steer('Hm'),
    )
    const [before = '', after = ''] = said.split(`${acknowledged('Hm')}\n\n`)
    const paragraph = before.split('\n\n').at(-1) ?? ''
    expect(before).toMatch(/^## The path of a word\n/)
    expect(after.startsWith(paragraph)).toBe(true)
    expect(after).not.toContain('## The path of a word')
    expect(after).toMatch(/with an end or an error frame\.$/)
  })

  test('before the first word, or during thinking, make it begin again', async () => {
    for (const isTime of [
      ({ type }: { type: string }) => type === 'run_start',
      ({ type }: { type: string }) => type === 'block_delta',
    ]) {
      const own = setUp({}, { pace: { ...pace, tokensPerSecond: 2000 } })
      const { said } = await meet(own, { prompt: '/demo thinking' }, isTime, (run) =>
        run.steer('Hm'),
      )
      expect(said).toContain(`${acknowledged('Hm')}\n\nI set myself a small puzzle`)
    }
  })

  test('that overtake its calls cause their repetition', async () => {
    const { gate, tools } = gated()
    gate.open()
    const { state, said } = await meet(
      setUp({ tools }, { pace }),
      { prompt: '/demo tools' },
      (item) => item.type === 'block_start' && item.kind === 'tool_call' && item.block === 2,
      (run) => run.steer('Hm'),
    )
    expect(callsIn(state.messages)).toEqual(['get_weather', 'get_weather', 'get_time'])
    expect(said).toContain(acknowledged('Hm'))
    expect(said).toContain('- **Weather:** temperature 21 °C, sky clear')
  })

  test('in the second half of a turn that the provider has paused are not a new prompt either', async () => {
    const { said } = await meet(
      setUp({}, { pace: { ...pace, tokensPerSecond: 25 }, speed: 20 }),
      { prompt: '/demo pause-turn' },
      (item) => isDelta(item, 'railway'),
      (run) => run.steer('Hm'),
    )
    expect(said).toContain(acknowledged('Hm'))
    expect(said).toMatch(/the first content to arrive\.$/)
  })

  test('reach a sub-agent, whose prompt is its task', async () => {
    const gate = createGate()
    const { model } = setUp()
    const surveyor = createAgent({
      name: 'surveyor',
      description: 'Measures.',
      model,
      tools: [tool('measure_fall', () => gate.passed.then(() => '5 readings.'))],
    })
    const engineer = createAgent({
      name: 'engineer',
      description: 'Works it out.',
      model,
      subagents: [surveyor],
    })
    const historian = createAgent({
      name: 'historian',
      description: 'Knows the archive.',
      model,
      tools: [tool('search_archive'), tool('user_confirm', () => 'yes')],
    })
    const own = setUp({ subagents: [engineer, historian] })
    let measuring: string | undefined
    const { said } = await meet(
      own,
      { prompt: '/demo subagents' },
      (item) => {
        if (item.type === 'run_start' && item.name === 'engineer') measuring = item.agent
        return item.type === 'tool_status' && item.name === 'measure_fall'
      },
      (run) => {
        expect(run.steer('Use metric units only', measuring)).toBe(true)
        gate.open()
      },
    )
    expect(said).toContain(
      `- **The engineer:** ${acknowledged('Use metric units only')} 200 litres a second`,
    )
    expect(said).not.toContain('/demo')
  })

  test('that request another demo switch to it, also to an unknown one', async () => {
    const switchTo = (words: string) =>
      meet(
        setUp({}, { pace: { ...pace, tokensPerSecond: 2000 } }),
        { prompt: '/demo long 2000' },
        (item) => isDelta(item, ' 20'),
        (run) => run.steer(words),
      )
    expect((await switchTo('/demo thinking')).said).toContain('**204.**')
    expect((await switchTo('/demo nosuch')).said).toContain('There is no demo `nosuch`.')
  })

  test('are quoted as plain text, and truncated', async () => {
    const { gate, tools } = gated()
    const { said } = await meet(
      setUp({ tools }),
      { prompt: '/demo tools' },
      ({ type }) => type === 'tool_status',
      (run) => {
        run.steer(`![a](http://x) <b> ${'no '.repeat(1000)}`)
        gate.open()
      },
    )
    const [quote = ''] = /You wrote “.*”\./.exec(said) ?? []
    expect(quote).toContain(String.raw`!\[a\](http://x) \<b\> no no`)
    expect(quote).toMatch(/…”\.$/)
    expect(quote.length).toBeLessThan(120)
  })
})

describe('messages after a demo', () => {
  test('that waits for an answer replace the answer', async () => {
    const { agent } = setUp({ tools: [confirm] })
    const { state } = await agent.run({ prompt: '/demo frontend' }).result()
    const next = await agent.run({ state, prompt: 'Yes, send it' }).result()
    const said = saidIn(next.state.messages)
    expect(said).toContain(acknowledged('Yes, send it'))
    expect(said).toContain('I could not ask you, so I have sent nothing.')
  })

  test('that was stopped in the middle of a text are a new prompt', async () => {
    let now = 0
    const own = setUp({}, { pace, now: () => now })
    const { state } = await meet(
      own,
      { prompt: '/demo long 100000' },
      (item) => isDelta(item, ' 20'),
      (run) => run.stop(),
    )
    now += 5000
    const next = await own.agent.run({ state, prompt: 'And now?' }).result()
    expect(saidIn(next.state.messages)).toContain('Hello!')
  })

  test('that was stopped during its tools are a new prompt', async () => {
    const { tools } = gated()
    const own = setUp({ tools })
    const { state } = await meet(
      own,
      { prompt: '/demo tools' },
      ({ type }) => type === 'tool_status',
      (run) => run.stop(),
    )
    const next = await own.agent.run({ state, prompt: 'And now?' }).result()
    expect(saidIn(next.state.messages)).toContain('Hello!')
  })
})

test('a script without acknowledgements gets its regular requests', async () => {
  const echo = {
    name: 'echo',
    summary: 'Says how long the last words are',
    matches: () => true,
    reply: ({ prompt }: { prompt: string }) => ({
      blocks: [{ type: 'text' as const, text: `${prompt.length} letters, one by one` }],
    }),
  }
  const { said } = await meet(
    setUp({}, { pace, scenarios: [echo] }),
    { prompt: 'abc' },
    ({ type }) => type === 'block_delta',
    (run) => run.steer('abcdef'),
  )
  expect(said).toMatch(/6 letters, one by one$/)
})
