import { badRequest } from '../../errors/index.ts'
import { defineTool, type RichOutput, type Tool } from '../../tools/index.ts'
import { needsApproval, type Workspace } from '../workspace.ts'
import { text, toInputSchema } from '../parameters.ts'
import { withFile } from '../paths/open-inside.ts'
import { imageTypeOf } from './file-kind.ts'
import { readBytes } from './read-bytes.ts'

/** Creates the tool that shows an image to the model. */
export function createReadImageTool(workspace: Workspace): Tool {
  const { root, limits } = workspace
  return defineTool({
    name: 'read_image',
    description: 'Shows an image of the workspace: PNG, JPEG, GIF or WebP.',
    input: toInputSchema({ path: text('The image, relative to the root of the workspace') }),
    idempotent: true,
    needsApproval: needsApproval(workspace, 'reads'),
    run: ({ path }, { signal }): Promise<RichOutput> =>
      withFile(root, path, async (file) => {
        const bytes = await readBytes(file, { maxBytes: limits.maxImageBytes, signal })
        const mediaType = imageTypeOf(bytes)
        if (mediaType === undefined) {
          throw badRequest(`"${file.shown}" is not a PNG, JPEG, GIF or WebP image.`)
        }
        return {
          text: `${file.shown}: ${mediaType}, ${bytes.length} bytes`,
          images: [{ data: bytes.toString('base64'), mediaType }],
        }
      }),
  })
}
