import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = ['packages/millrace/src', 'packages/tools/src', 'apps/studio/src']

/** Names of types that stand nowhere else, and checks of their beginnings. */
const names =
  /['"](?:meta_(?:init|step|end|files|final|compaction)|awaiting_(?:frontend_tools|approval)|queued_prompt|tool_result_image|compaction_(?:start|end))['"]|startsWith\(['"](?:awaiting|meta|compaction)_/

/** The places that name types, beside the keys of the catalogue, and why. Everything else asks the catalogue. */
const places: Readonly<Record<string, string>> = {
  'packages/millrace/src/events/': 'the union of events and their decoder',
  'packages/millrace/src/exit/': 'the encoder',
  'packages/millrace/src/agent/calls/pause-run.ts': 'the agent chooses its pause',
  'packages/millrace/src/protocols/': 'tables of protocols',
  'packages/millrace/src/legacy-xml/': 'tables of a format',
  'packages/millrace/src/server/commands/queued-prompt.ts': 'the server is its sender',
  'packages/millrace/src/server/runs/run-inbox.ts': 'follows commands to their events',
  'packages/millrace/src/server/views/': 'rules for fields of frames',
  'packages/millrace/src/server/sessions/session-view.ts': 'asks a view for a field',
  'packages/millrace/src/server/protocols/stream-facts.ts': 'asks a view for a field',
  'packages/millrace/src/client/transcript/reduce/event-changes.ts': 'the table of the transcript',
  'packages/tools/src/convert/own-calls.ts': 'makes frames of a format without calls',
  'packages/tools/src/convert/writers/write-dialect.ts': 'ends runs of a format without ends',
  'packages/tools/src/conformance/': 'cases name types',
  'apps/studio/src/timeline/model/timeline-model.ts': 'the table of the timeline',
}

function filesWithNames(): readonly string[] {
  return sources
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file.replaceAll('\\', '/')}`,
      ),
    )
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .filter((file) => names.test(readFileSync(join(root, file), 'utf8')))
}

test('types are named by the catalogue, the encoder and tables of protocols alone', () => {
  const found = filesWithNames()
  const others = found.filter(
    (file) => !Object.keys(places).some((place) => file.startsWith(place)),
  )
  expect(others).toEqual([])
  // A place that names no type any more leaves the list.
  const unused = Object.keys(places).filter(
    (place) => !found.some((file) => file.startsWith(place)),
  )
  expect(unused).toEqual([])
})
