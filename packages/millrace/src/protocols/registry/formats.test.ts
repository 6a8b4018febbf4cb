import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryStream } from '../../../test/support/frames/arbitrary-stream.ts'
import { anyLog, writeAll } from '../../../test/support/frames/play-log.ts'
import { runs } from '../../../test/support/runs.ts'
import { openFormat, type ProtocolCode } from '../port/index.ts'
import { defaultProtocols } from './protocols.ts'

const query = new URLSearchParams()

/** An option of each format that has options, with a value that it does not accept. */
const oddOptions = new URLSearchParams({ agents: 'odd', extensions: 'odd', subagents: 'odd' })

/** The protocols whose formats have no options. */
const withoutOptions = ['raw']

const formats = await Promise.all(
  defaultProtocols().map(async ({ name, load }): Promise<[string, ProtocolCode['format']]> => [
    name,
    (await load()).format,
  ]),
)

describe.each(formats)('%s', (name, create) => {
  test('resumed after any frame continues as without an interruption [DIA-1]', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), (log, place) => {
        const cut = place % (log.messages.length + 1)
        const first = openFormat(create(query), log.root)
        const all = writeAll(first, log.messages)
        const second = openFormat(create(query), log.root)
        writeAll(second, log.messages.slice(0, cut))
        expect(writeAll(second, log.messages.slice(cut))).toEqual(all.slice(cut))
        expect(second.finish('done')).toEqual(first.finish('done'))
      }),
      { numRuns: runs(30, 1000) },
    )
  })

  test('accepts invalid logs, with any beginning', () => {
    fc.assert(
      fc.property(
        arbitraryStream(),
        fc.constantFrom('done' as const, 'cut' as const),
        (log, end) => {
          const writer = openFormat(create(query), 'root')
          const messages = log.map((envelope, index) => ({ id: index + 40, envelope }))
          const frames = [...writeAll(writer, messages).flat(), ...writer.finish(end)]
          for (const { data } of frames) expect(data).toEqual(expect.any(String))
        },
      ),
      { numRuns: runs(100, 2000) },
    )
  })

  test('rejects unknown options of a request, if it has options', () => {
    const isRefused = (): boolean => {
      try {
        create(oddOptions)
        return false
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad_request' })
        return true
      }
    }
    expect(isRefused()).toBe(!withoutOptions.includes(name))
  })
})
