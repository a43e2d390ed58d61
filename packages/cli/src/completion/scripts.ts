export type Shell = 'bash' | 'zsh' | 'fish'

/**
 * The completion script of each shell. `program` must be an absolute path, because `muster` can be an alias or a
 * relative path. The word to complete may contain quotes, so the scripts unquote it before they call `__complete`.
 */
export const scripts: Readonly<Record<Shell, (program: string) => string>> = {
  bash: (program) => `# muster completion bash; load it with: source <(muster completion bash)
_muster() {
  local line typed=\${COMP_WORDS[COMP_CWORD]#[\\"\\']}
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$(printf '%q' "$line")")
  done < <(${quoted(program)} __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "\${typed//\\\\/}" 2>/dev/null)
}
complete -o default -F _muster muster
`,
  zsh: (program) => `#compdef muster
# muster completion zsh; load it with: source <(muster completion zsh)
_muster() {
  local -a candidates
  candidates=("\${(@f)$(${quoted(program)} __complete zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then
    _describe 'muster' candidates
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _muster ]]; then _muster "$@"; else compdef _muster muster; fi
`,
  fish: (program) => `# muster completion fish; load it with: muster completion fish | source
function __muster_complete
  set -l done (commandline -opc)
  set -l typed (commandline -ct)
  set -l meant (string unescape -- $typed; or string trim --left --chars '\\'"' -- $typed)
  set -l candidates (${quotedForFish(program)} __complete fish $done[2..-1] "$meant" 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c muster -f -a '(__muster_complete)'
`,
}

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`
const quotedForFish = (path: string): string => `'${path.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
