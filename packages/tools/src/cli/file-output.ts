import { type FileHandle, open } from 'node:fs/promises'
import { MillraceError } from 'millrace'
import type { TextOutput } from '../convert/pump.ts'

/** A file that is written to piece by piece. */
export interface FileOutput extends TextOutput {
  close(): Promise<void>
}

/** A file that is made when there is something to write, so that input that cannot be read leaves none behind. */
export function createFileOutput(file: string): FileOutput {
  let handle: FileHandle | undefined
  return {
    async write(text) {
      handle ??= await open(file, 'w').catch((cause: unknown) => {
        throw new MillraceError('not_found', `${file} cannot be written; check the path.`, {
          cause,
        })
      })
      await handle.appendFile(text)
    },
    close: async () => handle?.close(),
  }
}
