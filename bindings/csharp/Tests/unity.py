"""Checks the Unity package: `python unity.py TARBALL`. What it asks is of Unity's manual, 2021.3:
cus-layout (Package layout), cus-samples (Creating samples for packages), AssetMetadata (.meta files
and GUIDs), YAMLSceneExample and FormatDescription (scene files), ScriptedImporters,
class-AssemblyDefinitionImporter."""

from __future__ import annotations

import json
import re
import sys
import tarfile

from fixsync._native.raw import lib

BUILT_IN = {"0000000000000000e000000000000000", "0000000000000000f000000000000000"}
SCRIPT = 11500000  # the class of a script that has the name of its file
PREFAB = 100100000


def imported_id() -> int:
    """The file id of the main asset of a ScriptedImporter that calls it "main"."""
    text = b"Type:MonoBehaviour->main0"
    number = lib.fxs_hash64(text, len(text), 0)
    return number - (number >> 63 << 64)


def documents(text: str) -> dict[int, str]:
    """The objects of a scene or prefab by their file ids."""
    head, *parts = re.split(r"^--- !u!\d+ &(\d+)(?: stripped)?\n", text, flags=re.MULTILINE)
    assert head == "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
    ids = [int(id) for id in parts[::2]]
    assert len(set(ids)) == len(ids)
    return dict(zip(ids, parts[1::2], strict=True))


def check_scene(name: str, files: dict[str, str], path_of: dict[str, str]) -> int:
    """Checks that each object that a file names is there. Returns how many it names."""
    objects = documents(files[name])
    found = 0
    for text in objects.values():
        references = re.findall(r"\{fileID: (-?\d+)(?:, guid: (\w+), type: \d)?\}", text)
        assert len(references) == text.count("fileID"), text
        found += len(references)
        for id, guid in references:
            number, path = int(id), path_of.get(guid)
            if not guid:
                assert number == 0 or number in objects, f"{name}: no object {id}"
            elif guid not in BUILT_IN:
                assert path, f"{name}: no asset has the guid {guid}"
                ids = {
                    "cs": {SCRIPT},
                    "fxlevel": {imported_id()},
                    "fxframes": {imported_id()},
                }.get(path.rpartition(".")[2])
                assert number in (ids or {PREFAB, *documents(files[path])}), f"{path}: no {id}"
        script = re.search(r"m_Script: \{fileID: \d+, guid: (\w+)", text)
        if script:
            code = files[path_of[script[1]]]
            fields = re.findall(r"\[SerializeField\]\s+private \S+ (\w+);", code)
            values = text.partition("m_EditorClassIdentifier: \n")[2]
            assert re.findall(r"^  (\w+):", values, re.MULTILINE) == fields != []
            assert f"class {path_of[script[1]].rpartition('/')[2][:-3]} " in code
    return found


def main() -> None:
    with tarfile.open(sys.argv[1]) as tar:
        data = {row.name.removeprefix("package/"): tar.extractfile(row).read() for row in tar}
    files = {name: bytes.decode(errors="replace") for name, bytes in data.items()}
    package = json.loads(files["package.json"])
    assert {*files} >= {"Plugins/Source/fixsync.c", "LICENSE.md", "CHANGELOG.md"}
    assert not re.search(r"\]\((?!https:|#)", files["Documentation~/fixsync.md"]), "a dead link"

    # AssetMetadata: one .meta beside each file and folder, with an id of its own. Unity copies a
    # sample with its .meta files; it gives the folder an id itself.
    metas = {name for name in files if name.endswith(".meta")}
    folders = {name.rsplit("/", i)[0] for name in files for i in range(1, name.count("/") + 1)}
    assets = {name for name in {*files, *folders} - metas if "~" not in name}
    assets |= {name for name in {*files} - metas if name.startswith("Samples~/")}
    assert {f"{name}.meta" for name in assets} == metas, assets ^ {m[:-5] for m in metas}
    path_of = {
        re.search(r"^guid: ([0-9a-f]{32})$", files[name], re.MULTILINE)[1]: name[:-5]
        for name in metas
    }
    assert len(path_of) == len(metas)

    # cus-samples: each sample is a folder below Samples~, and an entry of package.json.
    samples = {sample["path"] for sample in package["samples"]}
    assert samples == {"/".join(n.split("/")[:2]) for n in files if n.startswith("Samples~/")}
    assert all(sample["displayName"] and sample["description"] for sample in package["samples"])
    assert check_scene("Samples~/Duel/Duel.unity", files, path_of) > 50
    assert check_scene("Samples~/Duel/Fighter.prefab", files, path_of) > 20
    json.loads(files["Samples~/Duel/fighter.fxframes"])
    assert data["Samples~/Duel/arena.fxlevel"][:4] == b"FXL1"

    # class-AssemblyDefinitionImporter: what uses the editor's types is compiled for it alone.
    # ScriptedImporters: one class a file of its name, which no type that Unity imports itself has.
    for name, text in files.items():
        if name.endswith(".asmdef"):
            is_editor = json.loads(text).get("includePlatforms") == ["Editor"]
            assert is_editor == name.startswith(("Editor/", "Tests/")), name
        if name.endswith(".cs") and "UnityEditor" in text:
            assert name.startswith(("Editor/", "Tests/")), name
    imported = {
        re.search(rf'\[ScriptedImporter\(\d+, "(\w+)"\)\]\s+public sealed class {stem} ', text)[1]
        for name, text in files.items()
        if (stem := name.rpartition("/")[2][:-3]) and re.search(r"\[ScriptedImporter", text)
        if name.startswith("Editor/")
    }
    assert imported == {"fxlevel", "fxframes"}


main()
