import { type FileHandle, open } from 'node:fs/promises'
import { MillraceError } from 'millrace'
import type { TextOutput } from '../convert/stage.ts'

interface FileOutput extends TextOutput {
  close(): Promise<void>
}

/** Creates a file output. The file is created with the first text, so that unreadable input leaves none behind. */
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
