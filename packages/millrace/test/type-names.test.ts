import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { catalog } from '../src/events/index.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = ['packages/millrace/src', 'packages/tools/src', 'apps/studio/src']

/** Types whose names are also those of content of messages, of a failure, or of a stop reason. */
const words: ReadonlySet<string> = new Set(['text', 'thinking', 'tool_result', 'error', 'aborted'])

/** Types whose names are also those of kinds and members, so that only comparisons with them are found. */
const kinds = ['citation', 'tool_call', 'server_tool_call', 'server_tool_result', 'user_message']

/** All other types, and checks of their beginnings. */
const types = Object.keys(catalog).filter((type) => !words.has(type) && !kinds.includes(type))
const names = new RegExp(
  [
    `['"](?:${types.join('|')})['"]`,
    `(?:===|!==|case) ['"](?:${kinds.join('|')})['"]`,
    `startsWith\\(['"](?:awaiting|meta|compaction)_`,
  ].join('|'),
)

const any = `['"](${Object.keys(catalog).join('|')})['"]`
/** Lists and alternatives of at least two types, of all names: a trait that a file would repeat. */
const lists = new RegExp(
  [
    `${any},\\s*(?!['"]\\1['"])${any}`,
    `[=!]== ${any}\\s*(?:\\|\\||&&)\\s*[\\w.]+ [=!]== (?!['"]\\3['"])${any}`,
  ].join('|'),
)

/** The files that name types, beside the keys of the catalogue, with reasons. All other code uses the catalogue. */
const typePlaces: Readonly<Record<string, string>> = {
  'packages/millrace/src/events/': 'the catalogue, the events, their encoder and decoder',
  'packages/millrace/src/agent/calls/call-ids.ts': 'replaces ids in events of the model',
  'packages/millrace/src/agent/calls/call-update.ts': 'emits stages of calls',
  'packages/millrace/src/agent/calls/pause-run.ts': 'emits pauses',
  'packages/millrace/src/agent/calls/report-answers.ts': 'emits stages of calls',
  'packages/millrace/src/agent/foreign/': 'tables of loops, emits rollbacks and pauses',
  'packages/millrace/src/agent/loop/open-run.ts': 'emits rollbacks',
  'packages/millrace/src/agent/loop/stream-step.ts': 'emits rollbacks',
  'packages/millrace/src/models/anthropic/request/continue-request.ts':
    'kinds of blocks of a model',
  'packages/millrace/src/segments/invocations/open-call.ts': 'types of segments',
  'packages/millrace/src/protocols/ag-ui/calls.ts': 'sorts pauses by the answer that they need',
  'packages/millrace/src/protocols/ag-ui/event-handlers.ts': 'the table of the format',
  'packages/millrace/src/protocols/ag-ui/plans/thread-history.ts': 'asks a view for a field',
  'packages/millrace/src/protocols/ag-ui/reading/': 'makes frames of the format',
  'packages/millrace/src/protocols/ai-sdk/read-calls.ts': 'makes frames of calls',
  'packages/millrace/src/protocols/ai-sdk/read-data.ts': 'makes frames of data parts',
  'packages/millrace/src/protocols/ai-sdk/reading.ts': 'makes frames of runs and steps',
  'packages/millrace/src/protocols/ai-sdk/tool-parts.ts':
    'sorts pauses by the answer that they need',
  'packages/millrace/src/protocols/ai-sdk/ui-output.ts': 'the table of finish reasons',
  'packages/millrace/src/protocols/ai-sdk/ui-reader.ts': 'makes frames of files',
  'packages/millrace/src/protocols/ai-sdk/ui-writer.ts': 'the table of the format',
  'packages/millrace/src/protocols/port/open-format.ts': 'gives addresses to images and files',
  'packages/millrace/src/protocols/port/settled-stages.ts': 'the stages of calls',
  'packages/millrace/src/protocols/raw/raw-writer.ts': 'the table of the format',
  'packages/millrace/src/protocols/segments/segments-reader.ts': 'makes frames of the format',
  'packages/millrace/src/protocols/segments/segments-writer.ts': 'reports omitted images',
  'packages/millrace/src/protocols/xml/xml-format.ts': 'names the format in the run’s start',
  'packages/millrace/src/legacy-xml/agent-scope.ts': 'reads the member of a run’s start',
  'packages/millrace/src/legacy-xml/decode/element.ts': 'makes images of results',
  'packages/millrace/src/legacy-xml/encode/encoder.ts': 'puts images and citations into elements',
  'packages/millrace/src/legacy-xml/tags.ts': 'the table of the format',
  'packages/millrace/src/server/commands/queued-prompt.ts': 'makes notices of the queue',
  'packages/millrace/src/server/in-process/run-handle.ts': 'leaves out void text',
  'packages/millrace/src/server/runs/run-inbox.ts': 'finds the effects of commands',
  'packages/millrace/src/server/runs/run-record.ts': 'names messages, notes rollbacks',
  'packages/millrace/src/server/runs/run-recorder.ts': 'stores the start of a tool, masks secrets',
  'packages/millrace/src/server/recovery/repair-log.ts': 'emits rollbacks',
  'packages/millrace/src/server/sessions/decisions-view.ts': 'lists events of one type',
  'packages/millrace/src/server/views/': 'rules for fields of frames',
  'packages/millrace/src/server/sessions/session-view.ts': 'asks a view for a field',
  'packages/millrace/src/server/protocols/commands-format.ts': 'the table of a format',
  'packages/millrace/src/server/protocols/planned-request.ts': 'asks a view for a field',
  'packages/millrace/src/client/transcript/reduce/event-changes.ts': 'the table of the transcript',
  'packages/millrace/src/testing/transcript-view.ts': 'members of the blocks of a transcript',
  'packages/millrace/src/formatters/event-formatter.ts': 'leaves out results on request',
  'packages/tools/src/convert/own-calls.ts': 'makes frames of a format without calls',
  'packages/tools/src/convert/writers/write-format.ts': 'ends runs of a format without ends',
  'packages/tools/src/convert/writers/write-text.ts': 'leaves out void text',
  'packages/tools/src/conformance/': 'cases name types',
  'apps/studio/src/chat/': 'members of the blocks of a transcript',
  'apps/studio/src/wire/format.ts': 'the table of the wire view',
  'apps/studio/src/session/indexes/': 'indexes of calls',
  'apps/studio/src/timeline/model/timeline-model.ts': 'the table of the timeline',
}

/** The files with lists of types that are no trait of the catalogue, with reasons. */
const listPlaces: Readonly<Record<string, string>> = {
  'packages/millrace/src/agent/foreign/producer/call-ledger.ts': 'kinds of events of a loop',
  'packages/millrace/src/agent/foreign/producer/event-taker.ts': 'kinds of events of a loop',
  'packages/millrace/src/events/agent-event.ts': 'stop reasons of failures',
  'packages/millrace/src/models/anthropic/reader/open-block.ts': 'kinds of blocks of a model',
  'packages/millrace/src/protocols/ai-sdk/ui-writer.ts':
    'events of sub-agents with a part of their own',
  'packages/millrace/src/segments/segment-event.ts': 'types of segments',
  'packages/millrace/src/server/protocols/commands-format.ts': 'the table of the format',
  'packages/tools/src/conformance/recordings/check-wire.ts': 'the content that every format has',
  'packages/tools/src/emulator/': 'kinds of blocks of a model',
  'packages/tools/src/recordings/redaction/body-redactor.ts': 'fields of the APIs of providers',
}

/** The files of the runtime that decode frames without creating events of them, with reasons. */
const framePlaces: Readonly<Record<string, string>> = {
  'packages/millrace/src/server/feeds/void-steps.ts': 'leaves out frames and closes their blocks',
  'packages/millrace/src/server/reading/find-start.ts': 'looks back from a cursor inside a block',
  'packages/millrace/src/server/recovery/repair-log.ts': 'closes open blocks',
  'packages/millrace/src/server/views/view-filter.ts': 'hides fields and keeps all other bytes',
  'packages/millrace/src/protocols/port/open-format.ts': 'passes frames to `json` and `xml`',
  'packages/millrace/src/protocols/json/shorten-item.ts': 'keeps the content of frames',
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

test('lists of types are traits in the catalogue', () => {
  expectPlaces(filesWith(sources, lists), listPlaces)
})

test('lists and alternatives are found, pairs of one name are not', () => {
  expect(lists.test(`['text',\n  'thinking']`)).toBe(true)
  expect(lists.test(`type === 'error' || end.type === 'aborted'`)).toBe(true)
  expect(lists.test(`['error', 'error']`)).toBe(false)
  expect(lists.test(`type === 'error' || other === 'error'`)).toBe(false)
})

test('agents, the server, protocols and the page read events, not frames', () => {
  const folders = ['agent', 'server', 'protocols', 'client', 'react']
  const runtime = folders.map((folder) => `packages/millrace/src/${folder}`)
  const decoding = /\b(?:decodeEnvelope|createEnvelopeDecoder|createJoiner)\b/
  expectPlaces(filesWith(runtime, decoding), framePlaces)
})
