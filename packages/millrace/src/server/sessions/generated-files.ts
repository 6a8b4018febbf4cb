import type { GeneratedFile } from '../../events/index.ts'
import type { Part, SessionInfo, Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

/** The collection of files that agents reported, by the frame that reported them. */
export const GENERATED = 'generated'

const PAGE = 256

/** Encodes the files that an event reports. */
export function toGeneratedFiles(files: readonly GeneratedFile[], frame: number): Part {
  return { collection: GENERATED, number: frame, frame, body: JSON.stringify(files) }
}

/** Reads the files that were reported after a frame. */
export async function readGeneratedFiles(
  store: Pick<Store, 'parts'>,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
  frame = 0,
): Promise<readonly GeneratedFile[]> {
  // An agent reports all files of its run so far.
  const files = new Map<string, GeneratedFile>()
  for (let after = frame; ;) {
    const page = await mapStoreErrors(store.parts(session, GENERATED, { after, limit: PAGE }, log))
    for (const { body } of page) {
      for (const file of JSON.parse(body) as GeneratedFile[]) files.set(file.fileId, file)
    }
    after = page.at(-1)?.number ?? after
    if (page.length < PAGE) return [...files.values()]
  }
}
