import { describe, expect, test } from 'vitest'
import { type LoggedMessage, toFrames, writeAll } from '../../../test/support/frames/play-log.ts'
import { accumulate, splitMessages } from '../../../test/support/protocols/raw-messages.ts'
import type { Envelope } from '../../events/index.ts'
import { rawFormat } from './raw-writer.ts'
import { openFormat } from '../port/index.ts'

const ROOT = 'mill'
const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta,
  ...more,
})
const part = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope =>
  say(type, delta, { final: false, ...more })

const toLog = (envelopes: readonly Envelope[]): LoggedMessage[] =>
  envelopes.map((envelope, index) => ({ id: index + 1, envelope }))
const write = (...envelopes: Envelope[]) => toFrames(rawFormat(), { root: ROOT }, toLog(envelopes))

const init = say('meta_init', '{"model":"model-1"}')
const step = (usage: object) => say('meta_step', JSON.stringify({ stop_reason: 'tool_use', usage }))
const end = (reason: string) => say('meta_end', JSON.stringify({ stop_reason: reason }))
const call = (id: string, name: string, input: string) => say('tool_call', input, { id, name })

describe('a part of a run', () => {
  test('is one message, with the tools that the server ran as those of a remote server', async () => {
    const frames = write(
      init,
      part('text', 'Grind.'),
      say('text', ''),
      call('c1', 'grind', '{"kg":900719925474099312345}'),
      step({ input_tokens: 3, output_tokens: 4, server_tool_use: { web_search_requests: 1 } }),
      part('tool_result', 'Flour', { id: 'c1', name: 'grind' }),
      part('tool_result_image', '', {
        id: 'c1',
        name: 'grind',
        src: '/i/1',
        media_type: 'image/png',
      }),
      say('tool_result', '', { id: 'c1', name: 'grind', is_error: true }),
      part('text', 'Done.'),
      say('text', ''),
      say('citation', 'It turns.', { citation_type: 'page_location', document_index: 0 }),
      step({ input_tokens: 5, output_tokens: 6, server_tool_use: { web_search_requests: 2 } }),
      end('end_turn'),
    )
    expect(frames.map(({ data }) => data).join('')).toContain('900719925474099312345')
    expect(await accumulate(frames)).toMatchObject({
      id: `msg_${ROOT}_1`,
      model: 'model-1',
      stop_reason: 'end_turn',
      usage: { input_tokens: 8, output_tokens: 10, server_tool_use: { web_search_requests: 3 } },
      content: [
        { type: 'text', text: 'Grind.' },
        { type: 'mcp_tool_use', id: 'c1', name: 'grind', server_name: 'millrace', input: {} },
        {
          type: 'mcp_tool_result',
          tool_use_id: 'c1',
          is_error: true,
          content: [
            { type: 'text', text: 'Flour' },
            { type: 'image', source: { type: 'url', url: '/i/1' } },
          ],
        },
        {
          type: 'text',
          text: 'Done.',
          citations: [{ type: 'page_location', cited_text: 'It turns.', file_id: null }],
        },
      ],
    })
  })

  test('that waits ends with the pending calls as tool_use', async () => {
    const child = { agent: 'child' }
    const [first = [], second = []] = splitMessages(
      write(
        init,
        call('c1', 'confirm', '{"q":1.50}'),
        call('c2', 'grind', '{}'),
        call('c3', 'spawn', '{}'),
        step({ output_tokens: 1 }),
        say('tool_result', 'Flour', { id: 'c2', name: 'grind' }),
        say('awaiting_approval', '[{"tool_use_id":"d1","name":"shell","input":{"a":1}}]', child),
        say('awaiting_frontend_tools', '[{"tool_use_id":"c1","name":"confirm","input":{"q":1.5}}]'),
        end('awaiting_frontend_tools'),
        say('tool_result', 'yes', { id: 'c1', name: 'confirm' }),
        end('awaiting_approval'),
      ),
    )
    expect(await accumulate(first)).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'mcp_tool_use', id: 'c2' },
        { type: 'mcp_tool_result', tool_use_id: 'c2' },
        { type: 'mcp_tool_use', id: 'c3' },
        { type: 'tool_use', id: 'c1', input: { q: 1.5 } },
        { type: 'tool_use', id: 'd1', name: 'shell', input: { a: 1 } },
      ],
    })
    // Pending calls are written again, because the reader can answer them now.
    expect(await accumulate(second)).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'mcp_tool_result', tool_use_id: 'c1' },
        { type: 'tool_use', id: 'd1' },
      ],
    })
  })

  test('does not repeat an answered call while others wait', async () => {
    const parts = splitMessages(
      write(
        init,
        call('c1', 'confirm', '{}'),
        call('c2', 'confirm', '{}'),
        step({ output_tokens: 1 }),
        say(
          'awaiting_frontend_tools',
          '[{"tool_use_id":"c1","name":"confirm"},{"tool_use_id":"c2","name":"confirm"}]',
        ),
        end('awaiting_frontend_tools'),
        say('tool_status', '', { id: 'c1', name: 'confirm', stage: 'answered' }),
        say('tool_status', 'half', { id: 'x', name: 'other', stage: 'progress', agent: 'child' }),
        end('awaiting_frontend_tools'),
      ),
    )
    const asked = await Promise.all(parts.map(async (part) => (await accumulate(part)).content))
    expect(asked.map((content) => content.map((block) => 'id' in block && block.id))).toEqual([
      ['c1', 'c2'],
      ['c2'],
    ])
  })

  test('has provider calls unchanged', async () => {
    const frames = write(
      init,
      say('thinking', '', { redacted: true }),
      say('server_tool_call', '{"q":"mill"}', { id: 's1', name: 'web_search' }),
      say('server_tool_result', '[{"url":"u"}]', { id: 's1', name: 'web_search_tool_result' }),
      say('server_tool_call', '{"q":2}', { id: 's2', name: 'search', server_name: 'archive' }),
      say('server_tool_result', '[]', { id: 's2', name: 'mcp_tool_result', is_error: true }),
      say('server_tool_result', '{"type":"container_upload","file_id":"f"}', {
        id: 's3',
        name: 'container_upload',
      }),
      end('refusal'),
    )
    expect((await accumulate(frames)).content).toMatchObject([
      { type: 'redacted_thinking' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { q: 'mill' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ url: 'u' }] },
      { type: 'mcp_tool_use', id: 's2', server_name: 'archive', input: { q: 2 } },
      { type: 'mcp_tool_result', tool_use_id: 's2', is_error: true, content: [] },
      { type: 'container_upload', file_id: 'f' },
    ])
  })

  test('with arguments that are not JSON does not fail its reader', async () => {
    const broken = { id: 's1', name: 'web_search' }
    const frames = write(init, say('server_tool_call', '{"q":', broken), end('max_tokens'))
    expect(await accumulate(frames)).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ input: { INVALID_JSON: '{"q":' } }],
    })
  })

  test('that fails ends with the error, and the next is a new message', () => {
    const failed = say('error', '{"type":"overloaded_error","message":"Busy","code":"overloaded"}')
    const text = [part('text', 'a'), say('text', '')]
    const frames = write(init, ...text, failed, end('error'), init, end('end_turn'))
    expect(frames.map(({ event }) => event).slice(4)).toEqual([
      'error',
      'message_start',
      'message_delta',
      'message_stop',
    ])
    expect(JSON.parse(frames[4]?.data ?? '')).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Busy', details: { error_code: 'overloaded' } },
    })
  })

  test('drops rolled-back content that is not sent; sent content stays, and the next attempt follows it', async () => {
    const again = say('rollback', '{"step":1}')
    const held = write(init, call('c1', 'f', '{}'), again, part('text', 'b'), end('end_turn'))
    expect(held.at(-1)?.event).toBe('message_stop')
    expect(JSON.stringify(held)).not.toContain('c1')
    const retried = [part('text', 'b'), say('text', ''), end('end_turn')]
    const said = write(init, part('text', 'a'), say('text', ''), again, ...retried)
    expect(await accumulate(said)).toMatchObject({
      content: [{ text: 'a' }, { text: 'b' }],
      stop_reason: 'end_turn',
    })
  })

  test('that is interrupted is an error', () => {
    const writer = openFormat(rawFormat(), ROOT)
    writeAll(writer, toLog([init, part('text', 'a')]))
    expect(writer.finish('cut').map(({ event }) => event)).toEqual(['content_block_stop', 'error'])
    expect(write(init).map(({ event }) => event)).toEqual(['message_start', 'error'])
  })

  test('without its beginning is still a message', async () => {
    const frames = write(part('text', 'b'), say('text', ''), end('end_turn'))
    expect(await accumulate(frames)).toMatchObject({ content: [{ text: 'b' }] })
  })

  test('reports content that it cannot express', () => {
    const omitted: string[] = []
    const writer = openFormat(rawFormat({ onOmit: (name) => omitted.push(name) }), ROOT)
    const status = say('tool_status', '', { id: 'c', name: 'n', stage: 'started' })
    const odd = ['user_message', 'meta_files', 'meta_compaction', 'meta_final', 'odd']
    writeAll(
      writer,
      toLog([status, ...odd.map((type) => say(type, '{}')), { ...init, agent: 'c' }]),
    )
    expect(omitted).toEqual(['tool_status', ...odd, 'messages of sub-agents'])
  })

  test('that makes a writer hold too much is rejected', () => {
    const writer = openFormat(rawFormat({ maxHeldLength: 100 }), ROOT)
    const long = 'x'.repeat(200)
    writer.write(part('text', 'a', { id: '1' }), 1)
    expect(() => writer.write(part('text', long, { id: '2' }), 2)).toThrow('maxHeldLength')
    expect(() => writer.write(call('c', 'f', `"${long}"`), 3)).toThrow('maxHeldLength')
  })
})
