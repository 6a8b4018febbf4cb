import { afterEach, describe, expect, test } from 'vitest'
import { callMounted } from '../../test/support/mcp/call-mounted.ts'
import { PNG } from '../../test/support/mcp/fixture-server.ts'
import { nearServer } from '../../test/support/mcp/near-server.ts'
import { type McpMount, mountMcp } from './mount-mcp.ts'
import type { McpOptions } from './mcp-options.ts'

const mounts: McpMount[] = []

async function mount(options: McpOptions = {}): Promise<McpMount> {
  const mounted = await mountMcp(nearServer(), options)
  mounts.push(mounted)
  return mounted
}

afterEach(async () => {
  await Promise.all(mounts.splice(0).map((mounted) => mounted.close()))
})

describe('a mounted server', () => {
  test('answers calls with text, structured content, media and errors', async () => {
    const mounted = await mount()
    expect(await callMounted(mounted, 'mill__echo', { message: 'grüezi' })).toMatchObject({
      text: 'grüezi',
      isError: false,
    })
    expect(await callMounted(mounted, 'mill__echo')).toMatchObject({
      text: expect.stringContaining('message: is required'),
      isError: true,
    })
    expect(await callMounted(mounted, 'mill__add_numbers_2', { a: 1, b: 2 })).toMatchObject({
      text: '{"sum":3}',
    })
    expect(await callMounted(mounted, 'mill__fail')).toMatchObject({
      text: 'the wheel is stuck',
      isError: true,
    })
    expect(await callMounted(mounted, 'mill__throw')).toMatchObject({
      text: expect.stringContaining('no such grain'),
      isError: true,
    })
    expect(await callMounted(mounted, 'mill__media')).toMatchObject({
      text: [
        'Here:',
        '[audio, audio/wav, 3 bytes, not shown]',
        'flour',
        '[resource file:///a.bin, 3 bytes, not shown]',
        '[resource b, file:///b.txt]',
      ].join('\n'),
      images: [{ src: `data:image/png;base64,${PNG}`, mediaType: 'image/png' }],
    })
  })

  test('lists its tools again after a change notification', async () => {
    let hear: (names: readonly string[]) => void = () => {}
    const heard = new Promise<readonly string[]>((resolve) => (hear = resolve))
    const mounted = await mount({
      onToolsChanged: (tools) => hear(tools.map(({ schema }) => schema.name)),
    })
    expect(mounted.tools.map(({ schema }) => schema.name)).not.toContain('mill__grown')
    await callMounted(mounted, 'mill__grow')
    expect(await heard).toContain('mill__grown')
    expect(await callMounted(mounted, 'mill__grown')).toMatchObject({ text: 'I am new' })
    expect(await mounted.refresh()).toHaveLength(13)
  })
})

describe('options', () => {
  const needing = async ({ tools }: McpMount) => {
    const all = await Promise.all(
      tools.map(async (tool) =>
        (await tool.needsApproval({ message: '' })) ? tool.schema.name : [],
      ),
    )
    return all.flat()
  }

  test('tools need approval, also read-only ones unless annotations are trusted', async () => {
    const allow = ['echo', 'fail', 'pid']
    expect(await needing(await mount({ allow }))).toHaveLength(3)
    expect(await needing(await mount({ allow, trustAnnotations: true }))).toEqual(['mill__fail'])
    expect(await needing(await mount({ allow, needsApproval: false }))).toEqual([])
    expect(await needing(await mount({ allow, needsApproval: true }))).toHaveLength(3)
    const needsApproval = (name: string) => name === 'pid'
    expect(await needing(await mount({ allow, needsApproval }))).toEqual(['mill__pid'])
  })

  test('only trusted read-only tools may be repeated after a crash', async () => {
    const repeatable = async (trustAnnotations: boolean) => {
      const { tools } = await mount({ allow: ['echo', 'fail'], trustAnnotations })
      return tools.map((tool) => tool.kind === 'backend' && tool.idempotent)
    }
    expect(await repeatable(true)).toEqual([true, false])
    expect(await repeatable(false)).toEqual([false, false])
  })

  test('allow and deny select tools, maxTools limits them, and an unknown name is an error', async () => {
    const { tools } = await mount({ allow: ['echo', 'fail'], deny: ['fail'], maxTools: 1 })
    expect(tools.map(({ schema }) => schema.name)).toEqual(['mill__echo'])
    await expect(mount({ maxTools: 7 })).rejects.toThrow(/more than 7 tools; choose some/)
    await expect(mount({ allow: ['ecco'] })).rejects.toThrow(/no tool "ecco".*it has: echo, /)
  })

  test('an invalid limit is rejected', async () => {
    await expect(mount({ maxTools: Number.NaN })).rejects.toThrow('`maxTools` must be')
    await expect(mount({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'bad_request' })
    const misspelt = { maxTool: 3 } as McpOptions
    await expect(mount(misspelt)).rejects.toThrow('no option `maxTool`')
  })

  test('a long result is truncated with a note', async () => {
    const mounted = await mount({ allow: ['long'], maxResultChars: 10 })
    expect(await callMounted(mounted, 'mill__long', { length: 25 })).toMatchObject({
      text: 'xxxxxxxxxx\n[… 15 more characters omitted]',
    })
  })
})
