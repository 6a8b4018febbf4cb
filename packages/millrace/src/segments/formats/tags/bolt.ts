import type { Format } from '../../format.ts'

const ARTIFACT_END = '</boltArtifact>'

/** Artifacts in the notation of bolt's prompt: files and shell commands in `<boltAction>` tags. */
export const bolt: Format = {
  name: 'bolt',
  blocks: [
    {
      open: { tag: 'boltArtifact' },
      body: {
        wrapper: {
          isLoose: true,
          close: [ARTIFACT_END],
          blocks: [
            {
              open: { tag: 'boltAction', require: ['type'] },
              body: {
                raw: {
                  segment: {
                    attribute: 'type',
                    values: { file: 'write_file', shell: 'run_bash', start: 'run_bash' },
                  },
                  metadata: { path: 'filePath' },
                  close: ['</boltAction>'],
                  endsBefore: [ARTIFACT_END],
                  trim: 'newline',
                },
              },
            },
          ],
        },
      },
    },
  ],
}
