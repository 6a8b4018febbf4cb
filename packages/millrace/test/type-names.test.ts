import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { catalog } from '../src/events/index.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = ['packages/millrace/src', 'packages/tools/src', 'apps/studio/src']

/** Types whose names are also those of content blocks, of a failure, or of a stop reason. */
const words: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'citation',
  'tool_call',
  'server_tool_call',
  'tool_result',
  'server_tool_result',
  'user_message',
  'error',
  'aborted',
])

/** All other types, and checks of their beginnings. */
const types = Object.keys(catalog).filter((type) => !words.has(type))
const names = new RegExp(
  `['"](?:${types.join('|')})['"]|startsWith\\(['"](?:awaiting|meta|compaction)_`,
)

/** The files that name types, beside the keys of the catalogue, with reasons. All other code uses the catalogue. */
const typePlaces: Readonly<Record<string, string>> = {
  'packages/millrace/src/events/': 'the catalogue, the events, their encoder and decoder',
  'packages/millrace/src/agent/': 'emits events',
  'packages/millrace/src/protocols/': 'tables of protocols',
  'packages/millrace/src/legacy-xml/': 'tables of a format',
  'packages/millrace/src/server/commands/queued-prompt.ts': 'the server is its sender',
  'packages/millrace/src/server/runs/': 'records the events of agents',
  'packages/millrace/src/server/recovery/repair-log.ts': 'emits rollbacks',
  'packages/millrace/src/server/sessions/decisions-view.ts': 'lists events of one type',
  'packages/millrace/src/server/views/': 'rules for fields of frames',
  'packages/millrace/src/server/sessions/session-view.ts': 'asks a view for a field',
  'packages/millrace/src/server/protocols/stream-facts.ts': 'asks a view for a field',
  'packages/millrace/src/client/transcript/reduce/event-changes.ts': 'the table of the transcript',
  'packages/tools/src/convert/own-calls.ts': 'makes frames of a format without calls',
  'packages/tools/src/convert/writers/write-format.ts': 'ends runs of a format without ends',
  'packages/tools/src/convert/writers/write-text.ts': 'leaves out void text',
  'packages/tools/src/conformance/': 'cases name types',
  'apps/studio/src/wire/format.ts': 'the table of the wire view',
  'apps/studio/src/session/indexes/': 'indexes of calls',
  'apps/studio/src/timeline/model/timeline-model.ts': 'the table of the timeline',
}

/** The files of the runtime that decode frames without creating events of them, with reasons. */
const framePlaces: Readonly<Record<string, string>> = {
  'packages/millrace/src/server/feeds/void-steps.ts': 'leaves out frames and closes their blocks',
  'packages/millrace/src/server/reading/find-start.ts': 'looks back from a cursor inside a block',
  'packages/millrace/src/server/recovery/repair-log.ts': 'closes open blocks',
  'packages/millrace/src/server/views/view-filter.ts': 'hides fields and keeps all other bytes',
  'packages/millrace/src/protocols/port/open-format.ts': 'passes frames to `json` and `xml`',
  'packages/millrace/src/protocols/json/self-contained.ts': 'keeps the content of frames',
}

function filesWith(folders: readonly string[], pattern: RegExp): readonly string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file.replaceAll('\\', '/')}`,
      ),
    )
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')))
}

/** Checks that only listed files are found, and that no entry is unnecessary. */
function expectPlaces(found: readonly string[], places: Readonly<Record<string, string>>): void {
  const listed = Object.keys(places)
  const others = found.filter((file) => !listed.some((place) => file.startsWith(place)))
  expect(others).toEqual([])
  expect(listed.filter((place) => !found.some((file) => file.startsWith(place)))).toEqual([])
}

test('types are named only by the catalogue, the encoder and tables of protocols', () => {
  expectPlaces(filesWith(sources, names), typePlaces)
})

test('agents, the server, protocols and the page read events, not frames', () => {
  const folders = ['agent', 'server', 'protocols', 'client', 'react']
  const runtime = folders.map((folder) => `packages/millrace/src/${folder}`)
  const decoding = /\b(?:decodeEnvelope|createEnvelopeDecoder|createJoiner)\b/
  expectPlaces(filesWith(runtime, decoding), framePlaces)
})
