"""Features that go into a model file as a spec and tensors, and travel between processes as such."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from linnet._params import Params


class StoredFeatures(Params):
    """Base of features of texts and of tokens; ``_features`` numbers them once they are learnt."""

    kind: ClassVar[str]  # for messages

    def spec(self) -> dict[str, Any]:
        """Settings and small facts, as JSON; with `tensors` all there is to know."""
        raise NotImplementedError

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The arrays."""
        raise NotImplementedError

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The inverse; arrays are not copied and may be those of a mapped file."""
        raise NotImplementedError

    @property
    def _fitted(self) -> bool:
        return hasattr(self, "_features")

    def _check_fitted(self) -> None:
        if not self._fitted:
            from sklearn.exceptions import NotFittedError  # a ValueError

            raise NotFittedError(
                f"these {self.kind} features have learnt nothing yet; call fit_rows first"
            )

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted

    def __getstate__(self) -> dict[str, Any]:
        settings = self.get_params(deep=False)
        return {"settings": settings} | (
            {"spec": self.spec(), "tensors": self.tensors()} if self._fitted else {}
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "spec" in state:
            self.__dict__.update(self.from_parts(state["spec"], state["tensors"]).__dict__)
        self.__dict__.update(state["settings"])
