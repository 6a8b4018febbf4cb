import { defineTool, type Tool } from '../../tools/index.ts'
import { needsApproval, type Workspace } from '../workspace.ts'
import { flag, optionalText, text, toInputSchema, whole } from '../parameters.ts'
import { searchFiles } from './search-files.ts'

const DEFAULT_MATCHES = 50
const MOST_CONTEXT = 10

/** Creates the tool `grep_search`. */
export function createGrepSearchTool(workspace: Workspace): Tool {
  const { limits } = workspace
  return defineTool({
    name: 'grep_search',
    description:
      'Finds the lines in files of the workspace that match a regular expression (of JavaScript). ' +
      'Leaves out binary and very large files, links, .git and node_modules.',
    input: toInputSchema({
      pattern: text('The regular expression; it is tried on each line alone'),
      path: optionalText('The folder or file to search; the root if left out', '.'),
      glob: optionalText('Searches only files that match, such as "*.ts" or "src/**/*.test.ts"'),
      ignore_case: flag('Whether upper and lower case are the same'),
      context: whole('Lines to show before and after each match', {
        absent: 0,
        minimum: 0,
        maximum: MOST_CONTEXT,
      }),
      limit: whole('How many matching lines to give', {
        absent: DEFAULT_MATCHES,
        minimum: 1,
        maximum: limits.maxMatches,
      }),
      all: flag('Whether to look into .git and node_modules too'),
    }),
    idempotent: true,
    needsApproval: needsApproval(workspace, 'reads'),
    run: ({ path, ignore_case: ignoresCase, ...search }, { signal }) =>
      searchFiles(workspace, { ...search, path: path === '' ? '.' : path, ignoresCase, signal }),
  })
}
